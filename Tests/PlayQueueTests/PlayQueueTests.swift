import PlayQueue
import Testing
