import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import { FACE_PARTS, VERBS, type Verb } from '../../../runtime/face/verbs.ts'

export type Call = (...args: readonly unknown[]) => unknown
type Change = (call: Call, verb: Verb) => Call

/** The same face, with each verb as `change` makes it, by its row of the table. `own` has verbs of its own instead. */
export function changeVerbs(holdpoint: Holdpoint, change: Change, own: Partial<Holdpoint> = {}): Holdpoint {
  const parts = FACE_PARTS.map(part => [part, changed(holdpoint[part], change, { prefix: `${part}.` })] as const)
  return changed(holdpoint, change, { prefix: '', own: { ...Object.fromEntries(parts), ...own } })
}

function changed<Face extends object>(
  face: Face,
  change: Change,
  { prefix, own = {} }: { readonly prefix: string; readonly own?: object },
): Face {
  return new Proxy(face, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name)
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const call: Call = (...args) => Reflect.apply(value, target, args)
      const verb = `${prefix}${String(name)}`
      return Object.hasOwn(VERBS, verb) ? change(call, VERBS[verb as keyof typeof VERBS]) : call
    },
  })
}
