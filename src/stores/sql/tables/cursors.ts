import { first, run, type Work } from '../driver/work.ts'

/** `null` if it was never advanced. */
export function* readCursor(name: string): Work<number | null> {
  const row = yield* first('SELECT seq FROM @cursors WHERE name = ?', [name])
  return row ? Number(row['seq']) : null
}

/** Inside a transaction. False if another process was first. */
export function* moveCursor(name: string, from: number, to: number): Work<boolean> {
  return (yield* run('UPDATE @cursors SET seq = ? WHERE name = ? AND seq = ?', [to, name, from])) === 1
}

/** Inside a transaction. False if it is there. */
export function* makeCursor(name: string, seq: number): Work<boolean> {
  return (yield* run('INSERT INTO @cursors (name, seq) VALUES (?, ?) ON CONFLICT DO NOTHING', [name, seq])) === 1
}
