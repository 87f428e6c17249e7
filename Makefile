# The project's commands. Each is a script in Scripts/, so that they can be read and run alone.
PREFIX ?= /usr/local
DESTDIR ?=
ARGS ?=

.PHONY: help play test lab mpris install uninstall bench fuzz docs format sanitize clean

help: ## this list
	@printf 'usage: make COMMAND\n\n'
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 14

play: ## install what is missing, build, and play the tracks in Sounds/music (ARGS="--plain" ...)
	@Scripts/play $(ARGS)

test: ## install what the tests need and run every check
	@Scripts/check $(ARGS)

lab: ## pull headsets out of a real kernel in a virtual machine (ARGS="usb-alsa ...")
	@Scripts/lab $(ARGS)

install: ## build and install sotto under PREFIX (default /usr/local; DESTDIR is respected)
	@Scripts/install "$(DESTDIR)$(PREFIX)"

uninstall: ## remove what make install put under PREFIX
	@rm -f "$(DESTDIR)$(PREFIX)/bin/sotto"
	@rm -f "$(DESTDIR)$(PREFIX)/share/applications/sotto.desktop"
	@rm -f "$(DESTDIR)$(PREFIX)/share/icons/hicolor/scalable/apps/sotto.svg"
	@rm -f "$(DESTDIR)$(PREFIX)/share/metainfo/sotto.metainfo.xml"
	@rm -rf "$(DESTDIR)$(PREFIX)/lib/sotto" "$(DESTDIR)$(PREFIX)/share/doc/sotto" "$(DESTDIR)$(PREFIX)/share/sotto"

mpris: ## every command and property of MPRIS in every state, on a private D-Bus
	@Scripts/packages swift build play test && Scripts/doors
	@SOTTO_INTEGRATION=1 swift test --manifest-cache none --filter 'MPRISTests|RemoteTests'

bench: ## measure sotto beside other players into Docs/Benchmarks.md (ARGS="--help")
	@Scripts/bench $(ARGS)

fuzz: ## give the parsers inputs that libFuzzer makes, a minute each (ARGS="TARGET SECONDS")
	@Scripts/fuzz $(ARGS)

docs: ## the pictures of the screen, and the pages of the AudioSession library into .build/docs
	@Scripts/screenshot
	@Scripts/docs

format: ## format every Swift file
	@swift format --in-place --recursive --parallel Package.swift Sources Tests Fuzz Examples

sanitize: ## run the unit tests under the address and the thread sanitizer
	@Scripts/sanitize $(ARGS)

mutate: ## put faults into the session's rules and see that a test notices each (ARGS="--help")
	@Scripts/mutate $(ARGS)

clean: ## remove what was built
	@rm -rf .build
