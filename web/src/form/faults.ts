import type { Field } from './fields-of.ts'

/** Why values do not fit: path to message. A path is that of a field, `address.city`, or of a place within its JSON. */
export type Faults = Readonly<Record<string, string>>

/** Without those of this place, of what is within it, and of what it is within: the others stay until they are mended. */
export function withoutFaultsAt(faults: Faults, path: string): Faults {
  return Object.fromEntries(Object.entries(faults).filter(([at]) => !isWithin(at, path) && !isWithin(path, at)))
}

/** The fault of a field that is edited as one text; `null` if there is none. */
export function faultWithin(faults: Faults, path: string): string | null {
  const found = Object.entries(faults).filter(([at]) => isWithin(at, path))
  return found.length === 0 ? null : found.map(([at, why]) => (at === path ? why : `${at}: ${why}`)).join('; ')
}

/** The name under which the form shows a place: the title of its field. The path itself if no field is of it. */
export function nameOfPlace(fields: readonly Field[] | null, path: string): string {
  const field = fields?.find(each => isWithin(path, each.path))
  if (!field) return path
  if (field.kind === 'group' && field.path !== path) return nameOfPlace(field.fields, path)
  const [, place] = field.kind === 'list' ? (/^\[(\d+)\]/.exec(path.slice(field.path.length)) ?? []) : []
  return place === undefined ? field.title : `${field.title} ${Number(place) + 1}`
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || outer === '' || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`)
}
