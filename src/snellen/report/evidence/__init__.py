"""What a report shows beside its numbers: responses, images and what was marked in them."""
