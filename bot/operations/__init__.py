"""What an operator needs: doctor, report, gaps, metrics, retention."""
