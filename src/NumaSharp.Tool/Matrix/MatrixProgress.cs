using Spectre.Console;

namespace NumaSharp.Tool.Matrix;

/// <summary>
/// A progress bar on a terminal, nothing elsewhere. Drawn only between two cells: a timer would disturb the measurement.
/// </summary>
internal static class MatrixProgress
{
    public static async Task<T> RunAsync<T>(IAnsiConsole console, int cells, Func<IProgress<int>, Task<T>> work)
    {
        if (!console.Profile.Capabilities.Ansi || !console.Profile.Out.IsTerminal)
        {
            return await work(new Silent());
        }

        return await console.Progress()
            .AutoRefresh(false)
            .AutoClear(true)
            .Columns(new TaskDescriptionColumn(), new ProgressBarColumn(), new PercentageColumn())
            .StartAsync(context =>
            {
                var task = context.AddTask("Measuring", maxValue: cells);
                context.Refresh();
                return work(new Bar(context, task));
            });
    }

    private sealed class Bar(ProgressContext context, ProgressTask task) : IProgress<int>
    {
        public void Report(int value)
        {
            task.Value = value;
            context.Refresh();
        }
    }

    private sealed class Silent : IProgress<int>
    {
        public void Report(int value)
        {
        }
    }
}
