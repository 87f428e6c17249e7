"""Tags in each format's own words, from one dictionary of Vorbis comment names."""

import base64

from audio import chunk

# RIFF's LIST INFO has no words for album artist, loudness or pictures; the ID3 chunk has.
INFO = {
    "TITLE": b"INAM", "ARTIST": b"IART", "ALBUM": b"IPRD", "TRACKNUMBER": b"ITRK",
    "DATE": b"ICRD", "GENRE": b"IGNR", "COMPOSER": b"IMUS", "COPYRIGHT": b"ICOP",
    "COMMENT": b"ICMT",
}  # fmt: skip

ID3 = {
    "TITLE": b"TIT2", "ARTIST": b"TPE1", "ALBUM": b"TALB", "ALBUMARTIST": b"TPE2",
    "DATE": b"TDRC", "GENRE": b"TCON", "COMPOSER": b"TCOM", "ARRANGER": b"TPE4",
    "COPYRIGHT": b"TCOP",
}  # fmt: skip


def info(tags):
    body = b"INFO"
    for name, code in INFO.items():
        if name in tags:
            body += chunk(code, tags[name].encode() + b"\0")
    return chunk(b"LIST", body)


def id3(tags, picture):
    """An ID3v2.4 tag in UTF-8."""

    def frame(code, body):
        return code + syncsafe(len(body)) + b"\0\0" + body

    frames = b""
    for name, code in ID3.items():
        frames += frame(code, b"\x03" + tags[name].encode())
    place = f"{tags['TRACKNUMBER']}/{tags['TRACKTOTAL']}"
    frames += frame(b"TRCK", b"\x03" + place.encode())
    frames += frame(b"COMM", b"\x03eng\0" + tags["COMMENT"].encode())
    for name in tags:
        if name.startswith("REPLAYGAIN_"):
            frames += frame(b"TXXX", b"\x03" + name.encode() + b"\0" + tags[name].encode())
    frames += frame(b"APIC", b"\x03image/png\0\x03\0" + picture)
    return b"ID3\x04\0\0" + syncsafe(len(frames)) + frames


def syncsafe(number):
    return bytes(number >> shift & 0x7F for shift in (21, 14, 7, 0))


def picture_block(picture, size):
    """FLAC's picture block, which Vorbis comments carry in base64: a front cover in PNG."""
    out = (3).to_bytes(4, "big") + (9).to_bytes(4, "big") + b"image/png" + bytes(4)
    for number in (size, size, 24, 0, len(picture)):
        out += number.to_bytes(4, "big")
    return base64.b64encode(out + picture).decode()
