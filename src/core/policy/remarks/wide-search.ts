import { matchesGlob } from '../glob.ts'
import type { Policy } from '../policy.ts'
import { linesOf, type PolicyLine, type PolicyRemark } from './remark.ts'

const SEARCH = 'search_files'
const READ = 'read_file'

/** A line under which a search shows files that a rule keeps from being read; `null` if it is none. */
export function wideSearch(line: PolicyLine, policy: Policy): PolicyRemark | null {
  if (line.verdict !== 'auto' || line.match !== null || !matchesGlob(line.tool, SEARCH)) return null
  const kept = linesOf(policy).filter(each => each.verdict !== 'auto' && each.match !== null)
  const unread = kept.find(({ tool }) => matchesGlob(tool, READ) && !matchesGlob(tool, SEARCH))
  if (!unread || kept.some(({ tool }) => matchesGlob(tool, SEARCH))) return null
  return {
    ...{ code: 'passes_more', place: line.place },
    message: `${SEARCH} shows lines of files that ${unread.place} keeps from ${READ}.`,
    hint: `Write "${SEARCH}": "prompt", or a rule for it as for ${READ}.`,
  }
}
