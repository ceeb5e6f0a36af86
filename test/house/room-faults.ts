import { dirname } from 'node:path'
import type { IModule } from 'dependency-cruiser'

/** Files beside one another, at most: more of them need a room of their own. */
const MOST_SIBLINGS = 15

/** Folders that hold more files than a reader takes in. Tests and the test kit do not count. */
export function fullRooms(modules: readonly IModule[]): string[] {
  const files = modules.map(({ source }) => source).filter(source => isProduction(source) && !isTestKit(source))
  const rooms = Object.entries(Object.groupBy(files, file => dirname(file)))
  return rooms.flatMap(([room, inside = []]) => (inside.length > MOST_SIBLINGS ? [`${room}: ${inside.length}`] : []))
}

/** Circles between folders, each as its folders in order. A circle that an import at run time closes is none. */
export function roomCircles(modules: readonly IModule[]): string[] {
  const below = arrowsOf(modules)
  const reach = new Map([...below.keys()].map(room => [room, reachableFrom(room, below)]))
  const groups = [...reach].flatMap(([room, others]) => {
    if (!others.has(room)) return []
    return [
      [...others]
        .filter(other => reach.get(other)?.has(room))
        .toSorted()
        .join(' <-> '),
    ]
  })
  return [...new Set(groups)].toSorted()
}

function arrowsOf(modules: readonly IModule[]): ReadonlyMap<string, ReadonlySet<string>> {
  const below = new Map<string, Set<string>>()
  for (const { source, dependencies } of modules.filter(({ source }) => isProduction(source))) {
    const room = dirname(source)
    const others = dependencies
      .filter(({ dynamic, resolved }) => !dynamic && isOurs(resolved))
      .map(({ resolved }) => dirname(resolved))
      .filter(other => other !== room)
    below.set(room, (below.get(room) ?? new Set()).union(new Set(others)))
  }
  return below
}

function reachableFrom(room: string, below: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const seen = new Set<string>()
  const left = [room]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const other of below.get(next) ?? []) {
      if (!seen.has(other)) left.push(other)
      seen.add(other)
    }
  }
  return seen
}

function isProduction(source: string): boolean {
  return isOurs(source) && !source.endsWith('.test.ts')
}

function isOurs(source: string): boolean {
  return source.startsWith('src/') || source.startsWith('web/src/')
}

function isTestKit(source: string): boolean {
  return source.startsWith('src/testing/')
}
