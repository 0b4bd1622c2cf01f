"""What a training leaves behind: its events as they come, kept, read again and summed up."""
