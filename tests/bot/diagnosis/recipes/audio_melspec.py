import torch
import torchaudio
import torchaudio.transforms as T

waveform, sample_rate = torchaudio.load("audio/speech.wav")
resampler = T.Resample(orig_freq=sample_rate, new_freq=8000)
waveform = resampler(waveform)
mel = T.MelSpectrogram(sample_rate=8000, n_fft=400, hop_length=160, n_mels=40)
to_db = T.AmplitudeToDB()
features = to_db(mel(waveform))
mfcc = T.MFCC(sample_rate=8000, n_mfcc=13, melkwargs={"n_fft": 400, "hop_length": 160, "n_mels": 23})(waveform)
masked = T.FrequencyMasking(freq_mask_param=8)(features)
print(waveform.shape, features.shape, mfcc.shape, masked.shape)
