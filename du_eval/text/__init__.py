"""Words of texts and what they mean, for generators and judges alike."""
