#!/usr/bin/env node
/** The program: the command line with all extensions. */

import { EXTENSIONS } from '../extensions/extensions.ts';
import { runCommandLine } from '../src/cli/main.ts';

void runCommandLine(EXTENSIONS);
