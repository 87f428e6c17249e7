import Decoding
import Testing
