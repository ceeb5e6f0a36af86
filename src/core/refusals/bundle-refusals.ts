import { refused } from '../errors.ts'

// biome-ignore format: a refusal takes a line, and its hint a second one
export const bundleRefusals = {
  notABundle: () => refused('not_a_bundle', 'The file is no bundle: it does not begin with the header of one.',
    'Name a file that an export wrote. Nothing was imported.'),
  bundleDamaged: (detail: string) => refused('bundle_damaged', `The bundle is damaged or was changed: ${detail}.`,
    'Fetch or export it again: the store that it comes from gives the same bundle once more. Nothing was imported.'),
  inconsistent: (detail: string, cause: unknown) => refused('bundle_inconsistent', `The bundle contradicts itself: ${detail}.`,
    'It was not written by an export, or was changed since. Nothing was imported.', { cause }),
  /** P1: an agent could move its run out of reach of its approvers. */
  agentCannotExport: (by: string) => refused('agent_cannot_export', `${by} is an agent, and only people and pipelines move runs.`,
    'Export it from outside of the run of an agent. Nothing was exported.'),
  /** P1: an agent would bring a run with approvals that it wrote itself. */
  agentCannotImport: (by: string) => refused('agent_cannot_import', `${by} is an agent, and only people and pipelines move runs.`,
    'Import it from outside of the run of an agent. Nothing was imported.'),
  hasChildren: (runId: string, child: string) => refused('has_children', `Run ${runId} has sub-agents that are not done (${child}).`,
    'Wait until they are, or cancel them. Nothing was exported.'),
  superseded: (checkpointId: string, newest: string | null) => refused('superseded', `${checkpointId} was resumed already: its thread moved on to ${newest}.`,
    null, { action: { do: 'export', id: newest }, details: { checkpoint_id: newest } }),
  alreadyCompleted: (runId: string) => refused('already_completed', `Run ${runId} is completed, so there is nothing to resume elsewhere.`,
    'Export a run that waits, or that was stopped or failed.'),
  busy: (owner: string, runId: string) => refused('busy', `Another process (${owner}) is advancing run ${runId}, so it was not exported.`,
    null, { action: { do: 'wait_for_run' } }),
  notExported: (threadId: string) => refused('not_exported', `Thread ${threadId} is here, and goes on here: it did not move away.`,
    'Nothing was imported.', { action: { do: 'look_at_runs' } }),
  outdated: (threadId: string) => refused('bundle_outdated', `This store knows more of thread ${threadId} than the bundle has.`,
    'Nothing was imported. Name the file of its newest export.'),
  diverged: (threadId: string, seq: number) => refused('bundle_diverged', `Thread ${threadId} went on differently here and in the bundle: they part at event ${seq}.`,
    'Nothing was imported: two copies of one export went on. Import it into a store of its own.'),
  conflicts: (detail: string) => refused('bundle_conflicts', `The bundle does not fit into this store: ${detail}.`,
    'Nothing was imported. Import it into a store of its own.'),
}
