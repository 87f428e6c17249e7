import MusicLibrary
import Testing
