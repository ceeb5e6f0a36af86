import type { Hold } from '../../../core/hold/hold.ts'
import { isFor } from '../../../core/hold/may-decide.ts'
import type { HoldQuery } from '../../../ports/store/holds.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import type { Caller } from '../../http/gate.ts'

/** Pages are read until so many are for this person. */
export async function holdsFor(
  holdpoint: Pick<Holds, 'holds'>,
  { name, member_of }: Caller,
  filter: HoldQuery & { readonly limit: number },
): Promise<readonly Hold[]> {
  const { limit } = filter
  const found: Hold[] = []
  for (let { after } = filter, isLast = false; !isLast && found.length < limit; ) {
    const page = await holdpoint.holds({ ...filter, ...(after !== undefined && { after }) })
    found.push(...page.filter(hold => isFor(hold, name, member_of ?? undefined)))
    after = page.at(-1)?.id
    isLast = page.length < limit
  }
  return found.slice(0, limit)
}
