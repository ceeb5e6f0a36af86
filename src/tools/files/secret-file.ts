import { ToolError } from '../../core/errors.ts'

/** Files of Holdpoint that prove something to it: tokens and keys, by any further name. */
const SECRET = /(^|[-_.])(token|key|secret)s?(\.\w+)?$/i

/** True for such a file below `.holdpoint/`. `real` has no links left. */
export function isSecretFile(real: string): boolean {
  const parts = real.split(/[\\/]/)
  return parts.slice(0, -1).some(part => part.toLowerCase() === '.holdpoint') && SECRET.test(parts.at(-1) ?? '')
}

/** Refuses the content of such a file, even if the policy allows it. @throws ToolError `SECRET_FILE` */
export function refuseSecretFile(real: string, shown: string): void {
  if (!isSecretFile(real)) return
  throw new ToolError('SECRET_FILE', `${shown} proves to Holdpoint who a caller is, so no agent reads it.`)
}
