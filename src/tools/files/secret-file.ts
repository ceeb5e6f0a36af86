import { ToolError } from '../../core/errors.ts'

/** Files of Holdpoint that prove something to it: tokens and keys, by any further name. */
const SECRET = /(^|[-_.])(token|key|secret)s?(\.\w+)?$/i

/** Refuses the content of such a file below `.holdpoint/`, whatever the policy says. @throws ToolError `SECRET_FILE` */
export function refuseSecretFile(real: string, shown: string): void {
  const parts = real.split(/[\\/]/)
  if (!parts.slice(0, -1).some(part => part.toLowerCase() === '.holdpoint') || !SECRET.test(parts.at(-1) ?? '')) return
  throw new ToolError('SECRET_FILE', `${shown} proves to Holdpoint who a caller is, so no agent reads it.`)
}
