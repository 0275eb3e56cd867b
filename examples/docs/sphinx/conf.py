project = "Onboarding"
html_theme = "alabaster"
