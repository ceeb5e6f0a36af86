/** A checkpoint's id begins with its thread's, so that one look-up finds its journal; the rest cannot be guessed. */
export function checkpointId(threadId: string, random: string): string {
  return `cp_${threadId.slice(threadId.indexOf('_') + 1)}${random.slice(random.indexOf('_') + 1)}`
}

const FORM = /^cp_([0-9a-z]{16})[0-9a-z]{10,}$/

/** The thread that a checkpoint belongs to; `null` if the text is no checkpoint id. */
export function threadOfCheckpoint(id: string): string | null {
  const match = FORM.exec(id)
  return match ? `th_${match[1]}` : null
}
