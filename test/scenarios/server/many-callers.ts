import { openHoldpoint, type Role } from '../../../src/index.ts'
import type { Project } from '../project.ts'

/** Tokens of different callers: one alone meets its limits first. */
export async function manyTokens(project: Project, count: number, role: Role): Promise<readonly string[]> {
  await using holdpoint = await openHoldpoint({ store: `sqlite:${project.path('.holdpoint/holdpoint.db')}` })
  const names = Array.from({ length: count }, (_, n) => `caller-${n}`)
  const added = await Promise.all(
    names.map(name => holdpoint.tokens.add({ name, role }, { by: 'ana', surface: 'test' })),
  )
  return added.map(({ secret }) => secret)
}
