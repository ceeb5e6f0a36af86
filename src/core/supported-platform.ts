/** The reason why Holdpoint does not run on `platform`, and what to do; `null` if it runs there. */
export function platformFault(platform: string): string | null {
  if (platform !== 'win32') return null
  return (
    'Holdpoint runs on Linux and macOS. Windows itself lacks the signals, process groups and file rights that it ' +
    'relies on. Install Node and Holdpoint in WSL 2, and run it there.'
  )
}
