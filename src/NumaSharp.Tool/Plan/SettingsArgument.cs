using System.CommandLine;
using Microsoft.Extensions.Configuration;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Plan;

/// <summary>
/// The settings a command works on, as a host would see them: JSON files in order, the environment, and keys given as
/// <c>--Numa:Key=value</c>.
/// </summary>
internal sealed class SettingsArgument
{
    private const string KeyPrefix = "--";

    private readonly Argument<string[]> _words = new("settings")
    {
        Description = "Settings files, such as appsettings.json, in reading order, and keys as --Numa:Key=value. "
            + "Without a file: appsettings.json in this folder and the one of the environment, where they are.",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private readonly Option<string[]> _files = new("--settings")
    {
        Description = "A settings file, as without the option.",
        HelpName = "FILE",
        Arity = ArgumentArity.OneOrMore,
    };

    public void AddTo(Command command)
    {
        command.Arguments.Add(_words);
        command.Options.Add(_files);
    }

    public bool IsGiven(ParseResult result) =>
        result.GetValue(_words) is { Length: > 0 } || result.GetValue(_files) is { Length: > 0 };

    /// <exception cref="ToolException">A file cannot be read, or a key has the wrong form.</exception>
    public ApplicationSettings Read(ParseResult result)
    {
        var words = result.GetValue(_words) ?? [];
        string[] keys = [.. words.Where(IsKey)];
        foreach (var key in keys)
        {
            if (!key.StartsWith("--Numa:", StringComparison.OrdinalIgnoreCase) || !key.Contains('=', StringComparison.Ordinal))
            {
                throw new ToolException(
                    $"'{key}' is not an option of this command; settings are given as --Numa:Key=value."
                    + Suggestion.For(key, result.CommandResult.Command));
            }
        }

        var builder = new ConfigurationBuilder();
        string[] files = [.. words.Where(static word => !IsKey(word)), .. result.GetValue(_files) ?? []];
        if (files.Contains("", StringComparer.Ordinal))
        {
            throw new ToolException("'' is not the name of a settings file.");
        }

        var contentRoot = files is [var first, ..]
            ? Path.GetDirectoryName(Path.GetFullPath(first)) ?? "/"
            : Environment.CurrentDirectory;
        foreach (var file in files.Length > 0 ? files : FindFiles())
        {
            builder.AddConfiguration(ReadFile(file));
        }

        return new ApplicationSettings(builder.AddEnvironmentVariables().AddCommandLine(keys), contentRoot);
    }

    private static bool IsKey(string word) => word.StartsWith(KeyPrefix, StringComparison.Ordinal);

    private static IEnumerable<string> FindFiles()
    {
        var environment = Environment.GetEnvironmentVariable("ASPNETCORE_ENVIRONMENT")
            ?? Environment.GetEnvironmentVariable("DOTNET_ENVIRONMENT")
            ?? "Production";
        return new List<string> { "appsettings.json", $"appsettings.{environment}.json" }.Where(File.Exists);
    }

    private static IConfigurationRoot ReadFile(string file)
    {
        try
        {
            return new ConfigurationBuilder().AddJsonFile(Path.GetFullPath(file), optional: false, reloadOnChange: false).Build();
        }
        catch (FileNotFoundException exception)
        {
            throw new ToolException($"'{file}' does not exist.", exception);
        }
        catch (InvalidDataException exception)
        {
            throw new ToolException($"{file}: {exception.GetBaseException().Message}", exception);
        }
    }
}

/// <summary>An application's settings, and its location.</summary>
/// <param name="Builder">The settings.</param>
/// <param name="ContentRoot">The folder with its plugins: that of the first settings file.</param>
internal sealed record ApplicationSettings(IConfigurationBuilder Builder, string ContentRoot);
