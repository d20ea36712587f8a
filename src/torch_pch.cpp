// Owns the precompiled torch header that the torch layers share.
