/** Light, dark, or as the system has it. The choice is this browser's, not the person's. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'holdpoint.theme'

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, theme)
  applyTheme()
}

export function applyTheme(): void {
  const theme = chosenTheme()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}
