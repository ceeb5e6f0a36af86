import { realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { isLeftOut } from '../../core/effect/touched-files.ts'

/** Tells of a real path whether lists and searches leave it out. `never`: globs below the working directory. */
export async function hiddenIn(
  workdir: string,
  never: readonly string[] = [],
): Promise<(real: string, isDirectory: boolean) => boolean> {
  if (never.length === 0) return () => false
  const home = await realpath(workdir)
  return (real, isDirectory) => isLeftOut(never, relative(home, real).split(sep).join('/'), isDirectory)
}
