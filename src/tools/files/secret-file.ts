import { realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { isLeftOut } from '../../core/effect/touched-files.ts'
import { ToolError } from '../../core/errors.ts'

/** Files of Holdpoint that prove something to it: tokens and keys, by any further name. */
const SECRET = /(^|[-_.])(token|key|secret)s?(\.\w+)?$/i

/** The directories in which they lie: that of a project, and that of a user's state. */
const KEPT = /(^|[\\/])(\.holdpoint|holdpoint[\\/]secrets)[\\/]/i

/** True for such a file. `real` has no links left. */
export function isSecretFile(real: string): boolean {
  return KEPT.test(real) && SECRET.test(real.split(/[\\/]/).at(-1) ?? '')
}

/** Refuses the content of such a file, even if the policy allows it. @throws ToolError `SECRET_FILE` */
export function refuseSecretFile(real: string, shown: string): void {
  if (!isSecretFile(real)) return
  throw new ToolError('SECRET_FILE', `${shown} proves to Holdpoint who a caller is, so no agent reads it.`)
}

/** Tells of a real path whether lists and searches leave it out. `never`: globs below the working directory. */
export async function hiddenIn(
  workdir: string,
  never: readonly string[] = [],
): Promise<(real: string, isDirectory: boolean) => boolean> {
  if (never.length === 0) return () => false
  const home = await realpath(workdir)
  return (real, isDirectory) => isLeftOut(never, relative(home, real).split(sep).join('/'), isDirectory)
}
