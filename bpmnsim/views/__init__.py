"""Pictures of models and traces: SVG text, plots, the notebook player. Reads model and trace, never the engine."""
