using NumaSharp.Tool;

return await NumaCommand.RunAsync(args, Console.Out, Console.Error);
