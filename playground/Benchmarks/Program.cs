using NumaSharp.Playground.Benchmarks;

return await BenchmarkCommand.RunAsync(args, Console.Out, Console.Error);
