"""Sound files that the installed backends of torchaudio do not read."""

from executor.errors.family import ErrorFamily

FAMILIES = (
    ErrorFamily(
        id="audio_unreadable",
        says="A sound file is not read by what reads sound files here.",
        means=(
            "{sound} is not read by the backend that is installed | its format (mp3, m4a, opus) is "
            "none of the backend's, no backend is installed at all, or the path is wrong",
            "A sound file is not read by the backend that is installed | its format (mp3, m4a, "
            "opus) is none of the backend's, no backend is installed at all, or the path is wrong",
        ),
        remedy=(
            "Look whether the file is there, is not empty and holds sound (a failed download "
            "leaves a text in its place). Install what reads its format: `pip install soundfile` "
            "(wav, flac, ogg), FFmpeg for the rest, `torchcodec` for torchaudio 2.9 and newer; or "
            "convert it: `ffmpeg -i in.mp3 out.wav`",
        ),
        types=("RuntimeError", "LibsndfileError", "ImportError"),
        today=(
            r"Couldn't find appropriate backend to handle uri (?P<sound>\S{1,200})",
            r"Error loading audio file: failed to open file (?P<sound>\S{1,200})",
            r"Error opening '(?P<sound>[^'\n]{1,200})': (?:File contains data in an un|Format not)",
            r"No audio backend is available",
        ),
        values={"sound": "as it was named"},
        needs="a sound file that no installed backend reads",
        examples=(
            "RuntimeError: Couldn't find appropriate backend to handle uri speech.m4a and format "
            "None.",
            "RuntimeError: Error loading audio file: failed to open file speech.opus",
            "RuntimeError: Error opening 'speech.mp3': File contains data in an unknown format.",
            "RuntimeError: No audio backend is available.",
        ),
    ),
)
