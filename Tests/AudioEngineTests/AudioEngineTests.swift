import AudioEngine
import Testing
