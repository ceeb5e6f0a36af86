import type { Json } from '../../text/json.ts'
import { FieldReader } from './notify-fields.ts'

/** How browsers hear of holds while no page is open. */
export interface PushSettings {
  /** `none`: a notification says only that something waits. */
  readonly body: 'act' | 'none'
  /** Where push services reach the operator of this server: `mailto:` or `https:`; `null`: at `notify.base_url`. */
  readonly contact: string | null
  /** True if a push service may be of this machine or of a private network, and without TLS. */
  readonly allow_private: boolean
}

export const USUAL_PUSH: PushSettings = { body: 'act', contact: null, allow_private: false }

/** Reads `push`. @throws Error that names the fault. */
export function readPush(written: Json): PushSettings {
  const read = new FieldReader(written, 'push')
  return read.all({
    body: read.oneOf('body', ['act', 'none']),
    contact: read.maybeMatching('contact', /^(mailto:[^\s@]+@\S+|https:\/\/\S+)$/, 'like "mailto:ops@example.org"'),
    allow_private: read.flag('allow_private', false),
  })
}
