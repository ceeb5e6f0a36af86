import type { Tool } from '../../ports/agent/tool.ts'
import { type Passed, unattendedEnvironment } from '../../ports/process/command-environment.ts'
import { builtInTools } from '../../tools/built-in-tools.ts'
import { recordCall } from '../process/calls/call-record.ts'
import { noteCommand } from '../process/lineage/command-notes.ts'
import type { BoxPlace } from './box-here.ts'

type ToolsFor = (pass: Passed) => ReadonlyMap<string, Tool>

/** The tools that come with Holdpoint, for the variables that their commands inherit. */
export function ownTools(env: NodeJS.ProcessEnv, box: BoxPlace): ToolsFor {
  return oncePer(pass =>
    builtInTools({
      environment: unattendedEnvironment(env, pass),
      noteCommand,
      recordCall,
      allow: pass.hosts ?? [],
      box: box.as(pass.box),
    }),
  )
}

function oncePer(make: ToolsFor): ToolsFor {
  const made = new Map<string, ReadonlyMap<string, Tool>>()
  return pass => {
    const key = JSON.stringify(pass)
    const tools = made.get(key) ?? make(pass)
    made.set(key, tools)
    return tools
  }
}
