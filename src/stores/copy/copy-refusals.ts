import { refused } from '../../core/errors.ts'
import { StoreError } from '../store-error.ts'
import type { LiveWork } from './copy-ends.ts'
import type { CopyMark } from './copy-mark.ts'

/** Named in a refusal; the others are counted. */
const MOST_NAMED = 5

/** @throws RefusedError `store_in_use` */
export function refuseLive(
  { runs: leased, tasks }: LiveWork,
  display: string,
  isGone: (owner: string) => boolean,
): void {
  const runs = leased.filter(({ owner }) => !isGone(owner))
  if (runs.length + tasks.length === 0) return
  const live = [
    ...runs.map(({ id, owner, until }) => `run ${id} (${owner} has its lease, promised until ${until})`),
    ...tasks.map(({ id, status }) => `task ${id} (${status})`),
  ]
  const named = live.slice(0, MOST_NAMED).join(', ')
  const more = live.length > MOST_NAMED ? `, and ${live.length - MOST_NAMED} more` : ''
  const hint =
    'Stop workers and servers, and wait for tasks or cancel them. The lease of a process that was killed on another machine ends once a worker has looked at it for 30 s. Nothing was copied.'
  const details = { runs: runs.map(({ id }) => id), tasks: tasks.map(({ id }) => id) }
  throw refused('store_in_use', `Work is under way in ${display}: ${named}${more}.`, hint, { details })
}

// biome-ignore format: a refusal takes a line, and its hint a second one
export const copyRefusals = {
  notEmpty: (display: string) => refused('store_not_empty', `${display} is not empty, and a copy never adds to another store.`,
    'Name a file that does not exist, or a schema of its own: postgres://…?schema=NAME. Nothing was copied.'),
  /** The source went on after this copy of it was given up. */
  outdatedCopy: (display: string) => refused('store_not_empty', `${display} is a copy that was given up before its end.`,
    'Remove it (of a file: FILE.copying), or name another store. Nothing was copied.'),
  unfinishedSource: ({ other }: CopyMark, display: string) => refused('store_copy_unfinished', `${display} is a copy of ${other} that is not all there yet.`,
    `Finish it first: copy ${other} to it once more. Nothing was copied.`),
  /** A reader would take what is there already for all there is. */
  unfinishedCopy: ({ other }: CopyMark, display: string) => refused('store_copy_unfinished', `${display} is a copy of ${other} that is not all there yet.`,
    `Copy ${other} to it once more: that goes on where the copy was cut off. Until then use ${other}.`),
  givenUpMeanwhile: (display: string) => refused('store_copy_given_up', `The copy of ${display} was given up while it was under way.`,
    `${display} goes on. Remove the unfinished copy before you begin another one.`),
  nothingToGiveUp: (display: string) => refused('store_not_copying', `No copy of ${display} is under way.`,
    'A store that has moved stays as it is: go on with its copy. Nothing was changed.'),
  copiedElsewhere: (display: string) => refused('store_copy_running', `Another process copies to ${display} too.`,
    'Wait for it, or end it and run the command again: it goes on where that one stopped.'),
  differs: (table: string, { from, to }: { readonly from: string; readonly to: string }) => new StoreError('store_copy_differs', `The copy differs from its source in the table ${table}.`,
    { hint: `Nothing moved. Give up the copy of ${from}, remove ${to}, and begin again.` }),
}

/** The failure of a store, for somebody who has to know that the source takes no writes meanwhile. */
export function cutOff(thrown: unknown, from: string): unknown {
  if (!(thrown instanceof StoreError) || thrown.code === 'store_copy_differs') return thrown
  const advice = `${from} takes no writes until the copy is finished: run the command once more, and it goes on where it stopped. Or give the copy up with --give-up.`
  return new StoreError(thrown.code, thrown.message, {
    hint: [thrown.hint, advice].filter(text => text !== null).join(' '),
    cause: thrown,
  })
}
