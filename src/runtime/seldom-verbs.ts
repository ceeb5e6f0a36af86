/** Verbs that no plain run needs. They are loaded together, when one of them is used. */
import { RuntimeTokens } from './access/runtime-tokens.ts'
import { stopStarted, waitForStarted } from './doubt/attend-started.ts'
import { answerHold } from './holds/answer-hold.ts'
import { assignHold } from './holds/assign-hold.ts'
import { checkPending } from './holds/check-pending.ts'
import { holdInContext } from './holds/hold-in-context.ts'
import { RuntimeBundles } from './threads/bundles.ts'
import { requestCompaction } from './threads/compact-thread.ts'
import { forkThread } from './threads/fork-thread.ts'
import { pruneStore } from './threads/prune-store.ts'
import { searchThreads } from './threads/search-threads.ts'
import { humanMessages } from './views/human-messages.ts'
import { runPaths, runTree } from './views/run-path.ts'
import { work } from './worker/work.ts'

export const SELDOM_VERBS = {
  ...{ answerHold, assignHold, checkPending, holdInContext, stopStarted, waitForStarted },
  ...{ forkThread, humanMessages, pruneStore, requestCompaction, runPaths, runTree, searchThreads, work },
  ...{ RuntimeBundles, RuntimeTokens },
}
