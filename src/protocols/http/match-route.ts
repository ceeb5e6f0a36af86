import type { Route } from './route.ts'

export interface Match {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

/** The routes of this path, for any method. One that names a part beats one that takes any text there. */
export function matchRoutes(routes: readonly Route[], pathname: string): readonly Match[] {
  const found = routes.flatMap(route => {
    const params = paramsOf(route.path, pathname)
    return params ? [{ route, params }] : []
  })
  return found.toSorted((one, other) => Object.keys(one.params).length - Object.keys(other.params).length)
}

/** `null` if the path is another one. */
function paramsOf(pattern: string, pathname: string): Readonly<Record<string, string>> | null {
  const wanted = pattern.split('/')
  const given = pathname.split('/').map(decoded)
  const fits = (part: string, n: number) => (part.startsWith(':') ? Boolean(given[n]) : part === given[n])
  if (wanted.length !== given.length || !wanted.every(fits)) return null
  const named = wanted.flatMap((part, n) => (part.startsWith(':') ? [[part.slice(1), given[n]]] : []))
  return Object.fromEntries(named)
}

/** `null` if an escape sequence means no text. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
