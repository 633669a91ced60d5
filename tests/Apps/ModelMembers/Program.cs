namespace NumaSharp.ModelMembers;

/// <summary>eng/models: records that a model was compared with the code that it stands for.</summary>
internal static class Program
{
    private const string Usage =
        "Usage: eng/models looked-at MODEL.pml\n"
        + "Records that the model of that name in tests/Models was compared with the code that it stands for, as that is now.\n"
        + "One model at a time, by its name: recording a hash means that the model was compared.";

    public static int Main(string[] arguments) =>
        Run(arguments, Directory.GetCurrentDirectory(), Console.Out, Console.Error);

    public static int Run(string[] arguments, string root, TextWriter output, TextWriter error)
    {
        if (arguments is not ["looked-at", var model])
        {
            error.WriteLine(Usage);
            return 2;
        }

        try
        {
            var changed = new ModelFolder(root).LookedAt(model);
            output.WriteLine(changed.Count == 0
                ? $"Nothing that {model} stands for has changed."
                : $"{model} was compared with {string.Join(", ", changed)}.");
            return 0;
        }
        catch (ArgumentException exception)
        {
            error.WriteLine(exception.Message);
            return 1;
        }
    }
}
