import AudioOutput
import Testing
