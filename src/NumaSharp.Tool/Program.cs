using NumaSharp.Tool;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Run;

// Before any other code runs or starts threads: a launcher must stay on its main thread.
return args is [NodeLauncher.Verb]
    ? NodeLauncher.Run(Console.OpenStandardInput(), Console.Error)
    : await NumaCommand.RunAsync(args, new ToolConsole(Console.Out, Console.Error, isAscii: Locale.IsC));
