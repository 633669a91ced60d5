using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Doctor;

/// <summary>The runtimeconfig.json of the application that the doctor is asked about.</summary>
/// <param name="RuntimeConfig">The file; <see langword="null"/> if there is none, or none is the only one.</param>
/// <param name="Candidates">All of the folder, if there are several.</param>
internal sealed record ApplicationFiles(string? RuntimeConfig, IReadOnlyList<string> Candidates)
{
    private const string Suffix = ".runtimeconfig.json";

    // A copy of the command may be in the application's folder.
    private static readonly string s_own = typeof(ApplicationFiles).Assembly.GetName().Name + Suffix;

    public static ApplicationFiles None { get; } = new(null, []);

    /// <summary>The application that a user names: its runtimeconfig.json, its program, or its folder.</summary>
    /// <exception cref="ToolException">There is no such file, or the folder has not exactly one.</exception>
    public static ApplicationFiles Named(string path)
    {
        if (Directory.Exists(path))
        {
            var found = In(path);
            return found.RuntimeConfig is not null
                ? found
                : throw new ToolException(found.Candidates.Count == 0
                    ? $"--app '{path}': the folder has no *{Suffix}."
                    : $"--app '{path}': the folder has {found.Candidates.Count} applications; name one of "
                    + $"{string.Join(", ", found.Candidates.Select(Path.GetFileName))}.");
        }

        if (!File.Exists(path))
        {
            throw new ToolException(
                $"--app '{path}' does not exist; a {Suffix[1..]}, a program that has one beside it, or a folder is needed.");
        }

        if (Path.GetExtension(path) == ".json")
        {
            return new ApplicationFiles(path, []);
        }

        // Programs of Linux have no extension, and their names may have dots.
        string[] configs = [path + Suffix, Path.ChangeExtension(path, null) + Suffix];
        return Array.Find(configs, File.Exists) is { } config
            ? new ApplicationFiles(config, [])
            : throw new ToolException($"--app '{path}' has no {Path.GetFileNameWithoutExtension(path)}{Suffix} beside it.");
    }

    /// <summary>The application of a folder, or if that has none, of the folder with this program.</summary>
    public static ApplicationFiles FoundFrom(string folder)
    {
        var here = In(folder);
        return here is { RuntimeConfig: null, Candidates.Count: 0 } ? In(AppContext.BaseDirectory) : here;
    }

    private static ApplicationFiles In(string folder)
    {
        string[] files =
        [
            .. Directory.EnumerateFiles(folder, "*" + Suffix)
                .Where(static file => Path.GetFileName(file) != s_own)
                .Order(StringComparer.Ordinal),
        ];
        return files is [var only] ? new ApplicationFiles(only, []) : new ApplicationFiles(null, files);
    }
}
