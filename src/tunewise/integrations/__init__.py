"""Where users already are: Optuna, scikit-learn, MLflow, Lightning and Hugging Face.

Each module needs the library it speaks to, an extra of its own, and nothing else imports it.
"""

__all__ = ["lightning", "mlflow", "optuna", "progress", "sklearn", "transformers"]
