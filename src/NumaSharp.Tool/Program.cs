using NumaSharp.Tool;
using NumaSharp.Tool.Commands;

return await NumaCommand.RunAsync(args, new ToolConsole(Console.Out, Console.Error));
