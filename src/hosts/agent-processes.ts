import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import { RefusedError } from '../core/errors.ts'
import type { Profile } from '../core/profile.ts'
import type { AgentProcesses } from '../ports/agent-processes.ts'
import type { AgentRegistry } from './agents/agent-registry.ts'
import { modelId } from './agents/model-id.ts'
import { ownProgram } from './own-program.ts'
import { refuseMissingWorkdir, rehearseStart } from './rehearse.ts'

export interface ProcessSite {
  readonly agents: AgentRegistry
  /** Where runs are kept, found from everywhere. */
  readonly storeUrl: string
  /** Within what agents are started that no run starts. */
  readonly bounds: () => Promise<Profile>
}

export function agentProcesses({ agents, storeUrl, bounds }: ProcessSite): AgentProcesses {
  return {
    attend: ({ checkpoint_id, pause_on }) => [
      ...[process.execPath, ownProgram('bin')],
      ...['-c', checkpoint_id, '--attend', '--store', storeUrl, '--output', 'json'],
      ...(pause_on.length > 0 ? ['--pause-on', pause_on.join(',')] : []),
    ],
    shell: command => [existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh', '-c', '--', command],
    bounds,
    modelId: (model, workdir) => modelId(workdir, model) ?? model,
    directoryWithin,
    rehearse: profile => rehearseStart(agents, profile),
    rehearseResume: async ({ workdir, ...profile }) => {
      refuseMissingWorkdir(workdir)
      await agents.model({ workdir, ...profile })
    },
  }
}

function directoryWithin(path: string, within: string): string {
  const wished = resolve(within, path)
  refuseMissingWorkdir(wished)
  const real = realpathSync(wished)
  const way = relative(realpathSync(within), real)
  if (way !== '..' && !way.startsWith('../') && !isAbsolute(way)) return real
  throw new RefusedError('outside_workdir', `${wished} is not below ${within}, where whoever starts this works.`, {
    hint: 'Name a directory below it. Nothing was started.',
  })
}
