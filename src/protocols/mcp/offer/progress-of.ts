import type { ServerContext } from '@modelcontextprotocol/server'

/** Progress goes only to a caller that asked for it. */
export function progressOf({ _meta, notify }: ServerContext['mcpReq']): (message: string) => void {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return () => {}
  let progress = 0
  return message => {
    progress += 1
    // If the caller is gone, this fails; the call learns of it by its signal.
    notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {})
  }
}
