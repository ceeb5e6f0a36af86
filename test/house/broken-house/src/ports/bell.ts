import { wait } from '../async/wait.ts'
export const bell: unknown = wait
