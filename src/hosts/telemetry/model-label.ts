/** A model for people who watch many runs: `provider/model`, or `script` without its file. */
export function modelLabel(id: string): string {
  return id.startsWith('script:') ? 'script' : id
}
