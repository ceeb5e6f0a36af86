import type { Control } from '../../ports/agent/control.ts'
import type { App } from '../compose/compose.ts'
import type { Bounds } from './mcp-settings.ts'

const COMMAND_CONTROL = 'run_command_task'
const COMMAND_TOOL = 'run_command'

/** All controls; but who may not have an agent run commands here, may not run one as a task either. */
export async function offeredControls(
  { supervision }: Pick<App, 'supervision'>,
  { tools }: Pick<Bounds, 'tools'>,
): Promise<readonly Control[]> {
  const controls = await supervision.controls()
  const runsCommands = tools === null || tools.includes(COMMAND_TOOL) || tools.includes(COMMAND_CONTROL)
  return runsCommands ? controls : controls.filter(({ name }) => name !== COMMAND_CONTROL)
}
