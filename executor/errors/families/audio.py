"""Sound: files that no installed backend of torchaudio reads, and spectra that give none."""

from executor.errors.family import ErrorFamily, Sentence

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
    ErrorFamily(
        id="istft_windows_are_zero",
        says="istft finds samples that every window leaves at zero.",
        means=(
            Sentence(
                "istft divides by the sum of the squared windows, and somewhere that sum is 0. "
                "With center=False the first and the last samples lie under the edge of one window "
                "alone, and most windows (Hann's is one) are 0 or nearly so there; how far they "
                "overlap does not change that",
                {"center": r"0|False"},
            ),
            "istft divides by the sum of the squared windows, and somewhere that sum is 0: windows "
            "that are 0 at their edges have to overlap",
        ),
        remedy=(
            Sentence(
                "Use center=True in both stft and istft, with `length=` in istft (what stands over "
                "is padded and cut again); or a window that is not 0 at its edges, "
                "`torch.hamming_window(n)`. In a stream add the windowed frames yourself, and "
                "divide by the sum of the squared windows where it is not 0",
                {"center": r"0|False"},
            ),
            "Make hop_length smaller (a quarter of the window is usual), and give istft the "
            "window, hop_length, win_length and center that stft had",
        ),
        types=("RuntimeError",),
        today=(r"istft\([\s\S]{0,600}?\) window overlap add min: 1",),
        older=(r"window overlap add min: 1",),
        details=(r"\bcenter=(?P<center>\w+)",),
        values={"center": "as istft was given it"},
        sample=(
            "w = torch.hann_window(16)\n"
            "s = torch.stft(torch.ones(64), 16, 4, window=w, center=False, return_complex=True)\n"
            "torch.istft(s, 16, 4, window=w, center=False)"
        ),
    ),
)
