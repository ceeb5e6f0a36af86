import type { CommandReading } from './match-command.ts'
import type { CallFacts } from './policy.ts'

/**
 * Why a call is not what its arguments say: a link leads its path elsewhere, or makes its program another one. `null` if
 * no link that the tool knows of does.
 */
export function leadsAstray({ leads_to, readings }: CallFacts): string | null {
  const all = Object.values(readings)
  if (leads_to !== undefined && all.some(({ as }) => as === null)) return `its path leads to ${leads_to}`
  const renamed = all.flatMap(({ commands = [] }) => renamedIn(commands))
  return renamed.length > 0 ? `its program is a link to ${renamed.join(', ')}` : null
}

/** The names of programs that only links give: names that differ from the path with the same operands. */
function renamedIn(commands: readonly CommandReading[]): string[] {
  const programs = Map.groupBy(
    commands.filter(({ words: [program] }) => program?.length === 1),
    ({ words }) => JSON.stringify(words.slice(1)),
  )
  return [...programs.values()].flatMap(among => {
    const names = among.map(({ words: [program] }) => program?.[0] ?? '')
    const own = new Set(names.filter(name => name.includes('/')).flatMap(ownNames))
    return own.size === 0 ? [] : names.filter(name => !own.has(name))
  })
}

function ownNames(path: string): string[] {
  const last = path.slice(path.lastIndexOf('/') + 1)
  // The reading of commands takes `=x` for `x` as well.
  const name = last.replace(/^[!=]+(?=.)/, '')
  return [path, name, name.toLowerCase()]
}
