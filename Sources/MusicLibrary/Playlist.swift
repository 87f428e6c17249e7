import AudioTypes
