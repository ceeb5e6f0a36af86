/**
 * Resolves in the next turn of the event loop. The embedded store answers at once, so a run that advances leaves no turn to
 * others: what was written to sockets before would wait until its tool does.
 */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
