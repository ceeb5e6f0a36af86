/** The reason why Holdpoint does not run on `platform`, and what to do; `null` if it runs there. */
export function platformFault(platform: string): string | null {
  if (platform !== 'win32') return null
  return (
    'Holdpoint runs on Linux and macOS. Windows itself lacks the signals, process groups and file rights that it ' +
    'relies on. Install Node and Holdpoint in WSL 2, and run it there.'
  )
}

const OLDEST_NODE = 24

/** Checks a version of Node such as `24.1.0`: an older one has no SQLite of its own. */
export function nodeFault(version: string): string | null {
  if (Number(version.split('.')[0]) >= OLDEST_NODE) return null
  return `Node ${OLDEST_NODE} or newer is needed; this is v${version}. Install a newer Node.`
}
