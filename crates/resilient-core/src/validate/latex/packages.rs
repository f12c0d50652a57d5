//! The macros of common classes and packages.
//!
//! A table per class and per package: what it loads in turn, and what it defines. A name that ends
//! in `*` stands for all macros that begin so. What LaTeX itself defines is not repeated here. A
//! package that is absent is unknown, and then nothing can be said about undefined macros; a
//! package that is present should be complete in what documents use.

use std::collections::HashSet;

/// The macros of the classes and packages that a document loads.
#[derive(Default)]
pub(super) struct Loaded {
    packages: HashSet<&'static str>,
    macros: HashSet<&'static str>,
    prefixes: Vec<&'static str>,
}

impl Loaded {
    /// Adds a class and what it loads; says whether the class is known.
    pub(super) fn add_class(&mut self, name: &str) -> bool {
        self.add(CLASSES, name)
    }

    /// Adds a package and what it loads; says whether the package is known.
    pub(super) fn add_package(&mut self, name: &str) -> bool {
        self.packages.contains(name) || self.add(PACKAGES, name)
    }

    /// Whether something loaded defines the macro.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.macros.contains(name) || self.prefixes.iter().any(|prefix| name.starts_with(prefix))
    }

    fn add(&mut self, table: &'static [Entry], name: &str) -> bool {
        let Some(entry) = find(table, name) else { return false };
        let mut due = vec![entry];
        while let Some(entry) = due.pop() {
            // A class may share its name with a package, so only packages are remembered.
            if find(PACKAGES, entry.name).is_some_and(|package| std::ptr::eq(package, entry))
                && !self.packages.insert(entry.name)
            {
                continue;
            }
            for name in entry.macros.split_whitespace() {
                match name.strip_suffix('*') {
                    Some(prefix) if !self.prefixes.contains(&prefix) => self.prefixes.push(prefix),
                    Some(_) => {}
                    None => {
                        self.macros.insert(name);
                    }
                }
            }
            due.extend(entry.loads.split_whitespace().filter_map(|name| find(PACKAGES, name)));
        }
        true
    }
}

/// A class or package.
struct Entry {
    name: &'static str,
    /// The packages it loads, as far as documents rely on them.
    loads: &'static str,
    macros: &'static str,
}

fn find(table: &'static [Entry], name: &str) -> Option<&'static Entry> {
    let index = table.binary_search_by_key(&name, |entry| entry.name).ok()?;
    table.get(index)
}

/// Document classes, by name.
#[rustfmt::skip]
const CLASSES: &[Entry] = &[
    Entry {
        name: "IEEEtran",
        loads: "",
        macros: "\
            CLASSINPUTbaselinestretch CLASSINPUTtoptextmargin IEEE* PARstart authorblockA \
            authorblockN bstctlcite overrideIEEEmargins \
        ",
    },
    Entry {
        name: "amsart",
        loads: "amsmath amsthm amsfonts",
        macros: "\
            MR MRhref PII SMALL Small Tiny address bysame commby contrib copyrightinfo curraddr \
            datename dedicatory email eminnames indexintro issueinfo keywords keywordsname \
            larger newswitch pagespan printindex proofname see seealso setTrue smaller \
            specialsection subjclass subjclassname translator upn uppercasenonmath urladdr \
        ",
    },
    Entry {
        name: "amsbook",
        loads: "amsmath amsthm amsfonts",
        macros: "\
            MR MRhref PII SMALL Small Tiny address backmatter bibname bysame chapter \
            chaptermark chaptername commby contrib copyrightinfo curraddr datename dedicatory \
            email eminnames frontmatter indexintro issueinfo keywords keywordsname larger \
            mainmatter newswitch pagespan proofname setTrue smaller specialsection subjclass \
            subjclassname thechapter translator upn uppercasenonmath urladdr \
        ",
    },
    Entry {
        name: "amsproc",
        loads: "amsmath amsthm amsfonts",
        macros: "\
            MR MRhref PII SMALL Small Tiny address bysame commby contrib copyrightinfo curraddr \
            datename dedicatory email eminnames indexintro issueinfo keywords keywordsname \
            larger newswitch pagespan proofname setTrue smaller specialsection subjclass \
            subjclassname translator upn uppercasenonmath urladdr \
        ",
    },
    Entry {
        name: "article",
        loads: "",
        macros: "",
    },
    Entry {
        name: "beamer",
        loads: "hyperref xcolor graphicx amsmath amsthm amssymb enumerate geometry translator etoolbox pgf",
        macros: "\
            AtBeginLecture AtBeginPart AtBeginSection AtBeginSubsection ExecuteOptionsBeamer \
            ProvidesPackageRCS action addtobeamertemplate againframe alert alt altenv animate \
            animatevalue appendixtotalframenumber beamer* colorbox column defbeamertemplate \
            definebeamertemplate deftranslation donotcoloroutermaths endframe \
            expandbeameroutput framebreak framelatex framesubtitle frametitle framezoom \
            headersep hideallsubsections hyperlink hyperlinkframeend hyperlinkframestart \
            hyperlinkmovie hyperlinkpresentationstart hyperlinkslidenext hyperlinkslideprev \
            hyperlinksound hypertarget includeonlyframes includeonlylecture insert* inst \
            institute invisible keywords languagepath lecture logo mode movie multiinclude \
            newtranslation noframebreak note only onslide opaqueness overlayarea overprint \
            partpage pause pgf* qedhere resetcounteronoverlays resetcountonoverlays sectionpage \
            setbeamercolor setbeamercovered setbeamerfont setbeameroption setbeamersize \
            setbeamertemplate setjobnamebeamerversion setrelativeoverlayspecs sound structure \
            subject subsectionpage subtitle temporal textcolor theframenumber titlegraphic \
            transblindsvertical transboxin transboxout transcover transdissolve transduration \
            transfade transglitter transpush transreplace transsplitverticalout transuncover \
            transwipe uncover usebeamer* usebibitemtemplate usecolortheme usefonttheme \
            useinnertheme uselanguage useoutertheme usesubitemizeitemtemplate usetheme visible \
        ",
    },
    Entry {
        name: "book",
        loads: "",
        macros: "\
            backmatter bibname chapter chaptermark chaptername frontmatter mainmatter \
            thechapter \
        ",
    },
    Entry {
        name: "exam",
        loads: "ifthen",
        macros: "\
            ContinuationQuestion ContinuedQuestion CorrectChoice CorrectChoiceEmphasis \
            SolutionEmphasis addpoints answerline answerlinelength bonuspart bonuspointpoints \
            bonusquestion boxedpoints bracketedpoints cfoot chead checkboxchar checkedchar \
            choice choicelabel coverpages dottedlinefillheight droptotalpoints examcell \
            extrafootheight extraheadheight extrawidth fillin fillinlinelength \
            fillwithdottedlines fillwithgrid fillwithlines firstpagefooter firstpagefootrule \
            firstpageheader firstpageheadrule footer footrule framedsolutions fullwidth \
            gradetable gridsize half header headrule hpword hqword hsword htword ifcontinuation \
            iflastpage ifprintanswers iscontinuation lfoot lhead linefillheight makeemptybox \
            marksnotpoints multicolumngradetable noaddpoints nopointsinmargin noprintanswers \
            numcoverpages numpages numpoints numquestions oddeven partlabel partshook \
            pointformat pointname pointpoints points pointsdroppedatright pointsinmargin \
            pointsinrightmargin pointtable printanswers printanswersfalse printanswerstrue \
            qformat question questionlabel questionshook rfoot rhead rightpointsmargin \
            runningfooter runningfootrule runningheader runningheadrule shadedsolutions \
            solution solutiontitle subpart subpartlabel subsubpart thechoice thepartno \
            thequestion titledquestion totalformat totalpoints unframedsolutions uplevel vpword \
            vqword vsword vtword \
        ",
    },
    Entry {
        name: "extarticle",
        loads: "",
        macros: "",
    },
    Entry {
        name: "extbook",
        loads: "",
        macros: "\
            backmatter bibname chapter chaptermark chaptername frontmatter mainmatter \
            thechapter \
        ",
    },
    Entry {
        name: "extreport",
        loads: "",
        macros: "bibname chapter chaptermark chaptername thechapter",
    },
    Entry {
        name: "letter",
        loads: "",
        macros: "\
            address cc ccname closing encl enclname fromaddress fromlocation fromname fromsig \
            headtoname indentedwidth location longindentation makelabels name opening pagename \
            ps returnaddress signature startbreaks startlabels stopbreaks telephone \
        ",
    },
    Entry {
        name: "ltxdoc",
        loads: "",
        macros: "\
            AltMacroFont CheckSum CodelineIndex DeleteShortVerb DescribeEnv DescribeMacro \
            DoNotIndex DocInput EnableCrossrefs Finale GetFileInfo MacroFont MakeShortVerb \
            OnlyDescription PageIndex PrintChanges PrintIndex RecordChanges StopEventually \
            bibname changes chapter chaptermark chaptername cmd cs filedate fileinfo filename \
            fileversion marg meta oarg parg thechapter \
        ",
    },
    Entry {
        name: "minimal",
        loads: "",
        macros: "",
    },
    Entry {
        name: "proc",
        loads: "",
        macros: "",
    },
    Entry {
        name: "report",
        loads: "",
        macros: "bibname chapter chaptermark chaptername thechapter",
    },
    Entry {
        name: "scrartcl",
        loads: "",
        macros: "\
            DeclareNewSectionCommand DeclareNewTOC DeclareTOCStyleEntries DeclareTOCStyleEntry \
            IfUsePrefixLine Ifthispageodd KOMAoption KOMAoptions RedeclareSectionCommand \
            RedeclareSectionCommands SecDef addchap addchaptertocentry addpart addsec \
            addsectiontocentry addtokomafont addtokomafontgobblelist addtoplength appendixmore \
            areaset autodot automark captionabove captionaboveof captionbelow captionbelowof \
            captionformat cc cefoot cehead cfoot chapapp chapappifchapterprefix chapterformat \
            chapterheadendvskip chapterheadstartvskip chapterlinesformat chaptermark \
            chaptermarkformat chapterpagestyle chead cleardoubleemptypage cleardoubleevenpage \
            cleardoubleoddpage cleardoublepageusingstyle cleardoubleplainpage \
            cleardoublestandardpage clearpairofpagestyles clearscrheadfoot closing cofoot \
            cohead dedication deffootnote deffootnotemark deftocheading dictum \
            dictumauthorformat dictumrule dictumwidth encl extratitle figureformat frontispiece \
            headfont headmark ifdvioutput ifkomavar ifoot ifstr ifthispageodd ihead \
            indexpagestyle labelinglabel lefoot lehead lofoot lohead lowertitleback manualmark \
            marginline minisec multfootsep multiplefootnoteseparator newbibstyle newkomavar \
            newplength ofoot ohead opening othersectionlevelsformat pagemark partformat \
            partpagestyle pnumbwidth pnumfont ps publishers raggedchapter raggeddictum \
            raggeddictumauthor raggeddictumtext raggedpart raggedsection recalctypearea refoot \
            rehead rofoot rohead sectfont sectioncatchphraseformat sectionformat \
            sectionlinesformat sectionmarkformat setcaphanging setcapindent setcapmargin \
            setcapwidth setchapterpreamble setfootbotline setfootnoterule setfootsepline \
            setheadsepline setkomafont setkomavar setpartpreamble setplength setuptoc \
            storeareas subject subtitle tableformat thefootnotemark titlefont titlehead \
            titlepagestyle typearea unsettoc uppertitleback usefontofkomafont usekomafont \
            usekomavar useplength usesizeofkomafont \
        ",
    },
    Entry {
        name: "scrbook",
        loads: "",
        macros: "\
            DeclareNewSectionCommand DeclareNewTOC DeclareTOCStyleEntries DeclareTOCStyleEntry \
            IfUsePrefixLine Ifthispageodd KOMAoption KOMAoptions RedeclareSectionCommand \
            RedeclareSectionCommands SecDef addchap addchaptertocentry addpart addsec \
            addsectiontocentry addtokomafont addtokomafontgobblelist addtoplength appendixmore \
            areaset autodot automark backmatter bibname captionabove captionaboveof \
            captionbelow captionbelowof captionformat cc cefoot cehead cfoot chapapp \
            chapappifchapterprefix chapter chapterformat chapterheadendvskip \
            chapterheadstartvskip chapterlinesformat chaptermark chaptermarkformat chaptername \
            chapterpagestyle chead cleardoubleemptypage cleardoubleevenpage cleardoubleoddpage \
            cleardoublepageusingstyle cleardoubleplainpage cleardoublestandardpage \
            clearpairofpagestyles clearscrheadfoot closing cofoot cohead dedication deffootnote \
            deffootnotemark deftocheading dictum dictumauthorformat dictumrule dictumwidth encl \
            extratitle figureformat frontispiece frontmatter headfont headmark ifdvioutput \
            ifkomavar ifoot ifstr ifthispageodd ihead indexpagestyle labelinglabel lefoot \
            lehead lofoot lohead lowertitleback mainmatter manualmark marginline minisec \
            multfootsep multiplefootnoteseparator newbibstyle newkomavar newplength ofoot ohead \
            opening othersectionlevelsformat pagemark partformat partpagestyle pnumbwidth \
            pnumfont ps publishers raggedchapter raggeddictum raggeddictumauthor \
            raggeddictumtext raggedpart raggedsection recalctypearea refoot rehead rofoot \
            rohead sectfont sectioncatchphraseformat sectionformat sectionlinesformat \
            sectionmarkformat setcaphanging setcapindent setcapmargin setcapwidth \
            setchapterpreamble setfootbotline setfootnoterule setfootsepline setheadsepline \
            setkomafont setkomavar setpartpreamble setplength setuptoc storeareas subject \
            subtitle tableformat thechapter thefootnotemark titlefont titlehead titlepagestyle \
            typearea unsettoc uppertitleback usefontofkomafont usekomafont usekomavar \
            useplength usesizeofkomafont \
        ",
    },
    Entry {
        name: "scrlttr2",
        loads: "",
        macros: "\
            DeclareNewSectionCommand DeclareNewTOC DeclareTOCStyleEntries DeclareTOCStyleEntry \
            IfUsePrefixLine Ifthispageodd KOMAoption KOMAoptions RedeclareSectionCommand \
            RedeclareSectionCommands SecDef addchap addchaptertocentry addpart address addsec \
            addsectiontocentry addtokomafont addtokomafontgobblelist addtoplength appendixmore \
            areaset autodot automark captionabove captionaboveof captionbelow captionbelowof \
            captionformat cc ccname cefoot cehead cfoot chapapp chapappifchapterprefix \
            chapterformat chapterheadendvskip chapterheadstartvskip chapterlinesformat \
            chaptermark chaptermarkformat chapterpagestyle chead cleardoubleemptypage \
            cleardoubleevenpage cleardoubleoddpage cleardoublepageusingstyle \
            cleardoubleplainpage cleardoublestandardpage clearpairofpagestyles clearscrheadfoot \
            closing cofoot cohead dedication deffootnote deffootnotemark deftocheading dictum \
            dictumauthorformat dictumrule dictumwidth encl enclname extratitle figureformat \
            frontispiece headfont headmark headtoname ifdvioutput ifkomavar ifoot ifstr \
            ifthispageodd ihead indexpagestyle labelinglabel lefoot lehead lofoot lohead \
            lowertitleback manualmark marginline minisec multfootsep multiplefootnoteseparator \
            name newbibstyle newkomavar newplength ofoot ohead opening othersectionlevelsformat \
            pagemark pagename partformat partpagestyle pnumbwidth pnumfont ps publishers \
            raggedchapter raggeddictum raggeddictumauthor raggeddictumtext raggedpart \
            raggedsection recalctypearea refoot rehead rofoot rohead sectfont \
            sectioncatchphraseformat sectionformat sectionlinesformat sectionmarkformat \
            setcaphanging setcapindent setcapmargin setcapwidth setchapterpreamble \
            setfootbotline setfootnoterule setfootsepline setheadsepline setkomafont setkomavar \
            setpartpreamble setplength setuptoc signature storeareas subject subtitle \
            tableformat thefootnotemark titlefont titlehead titlepagestyle typearea unsettoc \
            uppertitleback usefontofkomafont usekomafont usekomavar useplength \
            usesizeofkomafont \
        ",
    },
    Entry {
        name: "scrreprt",
        loads: "",
        macros: "\
            DeclareNewSectionCommand DeclareNewTOC DeclareTOCStyleEntries DeclareTOCStyleEntry \
            IfUsePrefixLine Ifthispageodd KOMAoption KOMAoptions RedeclareSectionCommand \
            RedeclareSectionCommands SecDef addchap addchaptertocentry addpart addsec \
            addsectiontocentry addtokomafont addtokomafontgobblelist addtoplength appendixmore \
            areaset autodot automark bibname captionabove captionaboveof captionbelow \
            captionbelowof captionformat cc cefoot cehead cfoot chapapp chapappifchapterprefix \
            chapter chapterformat chapterheadendvskip chapterheadstartvskip chapterlinesformat \
            chaptermark chaptermarkformat chaptername chapterpagestyle chead \
            cleardoubleemptypage cleardoubleevenpage cleardoubleoddpage \
            cleardoublepageusingstyle cleardoubleplainpage cleardoublestandardpage \
            clearpairofpagestyles clearscrheadfoot closing cofoot cohead dedication deffootnote \
            deffootnotemark deftocheading dictum dictumauthorformat dictumrule dictumwidth encl \
            extratitle figureformat frontispiece headfont headmark ifdvioutput ifkomavar ifoot \
            ifstr ifthispageodd ihead indexpagestyle labelinglabel lefoot lehead lofoot lohead \
            lowertitleback manualmark marginline minisec multfootsep multiplefootnoteseparator \
            newbibstyle newkomavar newplength ofoot ohead opening othersectionlevelsformat \
            pagemark partformat partpagestyle pnumbwidth pnumfont ps publishers raggedchapter \
            raggeddictum raggeddictumauthor raggeddictumtext raggedpart raggedsection \
            recalctypearea refoot rehead rofoot rohead sectfont sectioncatchphraseformat \
            sectionformat sectionlinesformat sectionmarkformat setcaphanging setcapindent \
            setcapmargin setcapwidth setchapterpreamble setfootbotline setfootnoterule \
            setfootsepline setheadsepline setkomafont setkomavar setpartpreamble setplength \
            setuptoc storeareas subject subtitle tableformat thechapter thefootnotemark \
            titlefont titlehead titlepagestyle typearea unsettoc uppertitleback \
            usefontofkomafont usekomafont usekomavar useplength usesizeofkomafont \
        ",
    },
    Entry {
        name: "slides",
        loads: "",
        macros: "invisible onlynotes onlyslides visible",
    },
    Entry {
        name: "standalone",
        loads: "",
        macros: "\
            ifstandalone ifstandalonebeamer standaloneconfig standaloneenv standalonefalse \
            standaloneignore standalonetrue \
        ",
    },
];

/// Packages, by name.
#[rustfmt::skip]
const PACKAGES: &[Entry] = &[
    Entry {
        name: "a4wide",
        loads: "",
        macros: "",
    },
    Entry {
        name: "accents",
        loads: "",
        macros: "accentset dddot ring underaccent undertilde",
    },
    Entry {
        name: "acronym",
        loads: "",
        macros: "\
            AC Ac Acf Acfp Acl Aclp Acp Iac ac acf acffont acfi acfp acfsfont acfu acl \
            aclabelfont aclp aclu acp acreset acresetall acro acrodef acrodefplural acroextra \
            acroindefinite acroplural acs acsfont acsp acsu acused bflabel iac newacro \
            newacroindefinite newacroplural \
        ",
    },
    Entry {
        name: "adjustbox",
        loads: "graphicx",
        macros: "\
            Depth Height Totalheight Width adjincludegraphics adjustbox adjustboxset \
            adjustboxuse adjustimage boxedbox centerbox clipbox lapbox marginbox marginclip \
            maxsizebox minsizebox phantombox scaletowidth stretchtobox trimbox \
        ",
    },
    Entry {
        name: "afterpage",
        loads: "",
        macros: "afterpage",
    },
    Entry {
        name: "algcompatible",
        loads: "algorithmicx",
        macros: "\
            CALL COMMENT Comment ELSE ELSIF ENDFOR ENDFUNCTION ENDIF ENDLOOP ENDPROCEDURE \
            ENDWHILE ENSURE FOR FORALL FUNCTION IF LOOP PROCEDURE REPEAT REQUIRE RETURN STATE \
            UNTIL WHILE \
        ",
    },
    Entry {
        name: "algorithm",
        loads: "float",
        macros: "algorithmname floatname listalgorithmname listofalgorithms thealgorithm",
    },
    Entry {
        name: "algorithmic",
        loads: "",
        macros: "\
            AND BODY COMMENT ELSE ELSIF ENDBODY ENDFOR ENDIF ENDINPUTS ENDLOOP ENDOUTPUTS \
            ENDWHILE ENSURE FALSE FOR FORALL GLOBALS IF INPUTS LOOP NOT OR OUTPUTS PRINT REPEAT \
            REQUIRE RETURN STATE STMT TO TRUE UNTIL WHILE XOR algorithmicand algorithmicbody \
            algorithmiccomment algorithmicdo algorithmicelse algorithmicelsif algorithmicend \
            algorithmicendfor algorithmicendfunction algorithmicendif algorithmicendloop \
            algorithmicendwhile algorithmicensure algorithmicfalse algorithmicfor \
            algorithmicforall algorithmicglobals algorithmicif algorithmicindent \
            algorithmicinputs algorithmicloop algorithmicnot algorithmicor algorithmicoutputs \
            algorithmicprint algorithmicrepeat algorithmicrequire algorithmicreturn \
            algorithmicthen algorithmicto algorithmictrue algorithmicuntil algorithmicwhile \
            algorithmicxor algsetup \
        ",
    },
    Entry {
        name: "algorithmicx",
        loads: "",
        macros: "\
            ALG Comment State Statex algblock algblockdefx algblockx algcblock algcblockx \
            algcloop algdef algdeflanguage alglanguage algloop algnewcommand algnotext \
            algorithmic* algrenewcommand algrenewtext algrestore algsetblock algsetblockx \
            algsetlanguage algstore algstorecopy algtext \
        ",
    },
    Entry {
        name: "algpseudocode",
        loads: "algorithmicx",
        macros: "\
            Call Comment ElsIf Else EndFor EndFunction EndIf EndLoop EndProcedure EndWhile \
            Ensure For ForAll Function If Loop Procedure Repeat Require Return State Statex \
            Until While algorithmic* textproc \
        ",
    },
    Entry {
        name: "algpseudocodex",
        loads: "algorithmicx",
        macros: "\
            BeginBox BoxedString Call Case Comment Default ElsIf Else EndBox EndCase EndDefault \
            EndFor EndFunction EndIf EndLoop EndProcedure EndSwitch EndWhile Ensure For ForAll \
            Function If LComment Loop Output Procedure Repeat Require Return State Statex \
            Switch Until While \
        ",
    },
    Entry {
        name: "amsbsy",
        loads: "",
        macros: "boldsymbol pmb",
    },
    Entry {
        name: "amscd",
        loads: "",
        macros: "CD",
    },
    Entry {
        name: "amsfonts",
        loads: "",
        macros: "Bbb frak lozenge mathbb mathfrak square",
    },
    Entry {
        name: "amsmath",
        loads: "amstext amsbsy amsopn",
        macros: "\
            Acute And Bar Breve Check Ddot DeclareMathOperator Dot Grave Hat MultiIntegral \
            Tilde Vec accentedsymbol align allowdisplaybreaks binom boxed cfrac dbinom ddddot \
            dddot dfrac displaybreak dotsb dotsc dotsi dotsm dotso endalign endgather \
            endmultline endsplit eqref gather genfrac hdotsfor idotsint iiiint iiint iint \
            impliedby implies injlim intertext lVert lcfrac leftroot lvert minalignsep mod \
            mspace multline multlinegap multlinetaggap newmcodes nobreakdash notag numberwithin \
            operatorname overleftrightarrow overset overunderset pod projlim rVert raisetag \
            rcfrac rvert shoveleft shoveright sideset split spreadlines subarray substack tag \
            tbinom text tfrac theparentequation tmspace ultimate underleftarrow \
            underleftrightarrow underrightarrow underset uproot varDelta varGamma varLambda \
            varOmega varPhi varPi varPsi varSigma varTheta varUpsilon varXi varinjlim varliminf \
            varlimsup varprojlim xleftarrow xrightarrow \
        ",
    },
    Entry {
        name: "amsopn",
        loads: "",
        macros: "\
            DeclareMathOperator injlim operatorname operatornamewithlimits projlim varinjlim \
            varliminf varlimsup varprojlim \
        ",
    },
    Entry {
        name: "amssymb",
        loads: "amsfonts",
        macros: "\
            Bbbk Box Bumpeq Cap Cup Diamond Doteq Finv Game Join Lleftarrow Lsh Rrightarrow Rsh \
            Subset Supset Vdash Vvdash approxeq backepsilon backprime backsim backsimeq \
            barwedge because beth between bigstar blacklozenge blacksquare blacktriangle \
            blacktriangledown blacktriangleleft blacktriangleright boxdot boxminus boxplus \
            boxtimes bumpeq checkmark circeq circlearrowleft circlearrowright circledR circledS \
            circledast circledcirc circleddash complement curlyeqprec curlyeqsucc curlyvee \
            curlywedge curvearrowleft curvearrowright daleth dasharrow dashleftarrow \
            dashrightarrow diagdown diagup digamma divideontimes doteqdot dotplus dotsb \
            doublebarwedge doublecap doublecup downdownarrows downharpoonleft downharpoonright \
            eqcirc eqsim eqslantgtr eqslantless eth fallingdotseq geqq geqslant ggg gggtr gimel \
            gnapprox gneq gneqq gnsim gtrapprox gtrdot gtreqless gtreqqless gtrless gtrsim \
            gvertneqq hslash iddots intercal leadsto leftarrowtail leftleftarrows \
            leftrightarrows leftrightharpoons leftrightsquigarrow leftthreetimes leqq leqslant \
            lessapprox lessdot lesseqgtr lesseqqgtr lessgtr lesssim lhd llcorner lll llless \
            lnapprox lneq lneqq lnsim looparrowleft looparrowright lozenge lrcorner lrtimes \
            ltimes lvertneqq maltese measuredangle mho multimap nLeftarrow nLeftrightarrow \
            nRightarrow nVDash nVdash ncong nexists ngeq ngeqq ngeqslant ngtr nleftarrow \
            nleftrightarrow nleq nleqq nleqslant nless nmid nparallel nprec npreceq nrightarrow \
            nshortmid nshortparallel nsim nsubseteq nsubseteqq nsucc nsucceq nsupseteq \
            nsupseteqq ntriangleleft ntrianglelefteq ntriangleright ntrianglerighteq nvDash \
            nvdash pitchfork precapprox preccurlyeq precnapprox precneqq precnsim precsim \
            restriction rhd rightarrowtail rightleftarrows rightrightarrows rightsquigarrow \
            rightthreetimes risingdotseq rtimes shortmid shortparallel smallfrown smallsetminus \
            smallsmile sphericalangle sqsubset sqsupset square subseteqq subsetneq subsetneqq \
            succapprox succcurlyeq succnapprox succneqq succnsim succsim supseteqq supsetneq \
            supsetneqq therefore thickapprox thicksim triangledown trianglelefteq triangleq \
            trianglerighteq twoheadleftarrow twoheadrightarrow ulcorner unlhd unrhd \
            upharpoonleft upharpoonright upuparrows urcorner vDash varkappa varnothing \
            varpropto varsubsetneq varsubsetneqq varsupsetneq varsupsetneqq vartriangle \
            vartriangleleft vartriangleright veebar yen \
        ",
    },
    Entry {
        name: "amstext",
        loads: "",
        macros: "text",
    },
    Entry {
        name: "amsthm",
        loads: "",
        macros: "\
            endproof mathqed newtheoremstyle openbox popQED proof proofname pushQED qed qedhere \
            qedsymbol swapnumbers textsquare theoremstyle thmname thmnote thmnumber \
        ",
    },
    Entry {
        name: "anyfontsize",
        loads: "",
        macros: "",
    },
    Entry {
        name: "appendix",
        loads: "",
        macros: "\
            addappheadtotoc appendicestocpagenum appendixpage appendixpagename appendixtocname \
            noappendicestocpagenum restoreapp setthesection setthesubsection \
        ",
    },
    Entry {
        name: "array",
        loads: "",
        macros: "extrarowheight extratabsurround firsthline lasthline newcolumntype showcols",
    },
    Entry {
        name: "authblk",
        loads: "",
        macros: "Affilfont Authand Authands Authfont Authsep affil affilsep",
    },
    Entry {
        name: "avant",
        loads: "",
        macros: "",
    },
    Entry {
        name: "babel",
        loads: "",
        macros: "\
            AddThinSpaceBeforeFootnotes Asbuk FrenchFootnotes No Numero Numeros addto \
            aliasshorthand arcsen arctg asbuk at babelfont babelhyphen babelhyphenation \
            babelprovide babelshorthand babelsublr babeltags bbl* bibname bname boi bsc \
            captions* circonflexe ck cosec cotg cyrdash date* defineshorthand degre degres dq \
            ensureascii euro extras* fg flq flqq foreignlanguage fprimo frenchsetup frq frqq \
            fup glq glqq grq grqq guillemets hyp ieme iemes ier iere ieres iers \
            ifbabelshorthand iflanguage languagename languageshorthands layoutspanish \
            localedate localeinfo mathdollar no noextras* nombre numero numeros og prefacename \
            primo proofname providehyphenmins quarto secundo selectlanguage sen senh \
            setlocalecaption sg shorthandoff shorthandon sloz sptext tertio textlatin \
            textormath tg tgh tild up useshorthands uv \
        ",
    },
    Entry {
        name: "bbm",
        loads: "",
        macros: "mathbbm mathbbmss mathbbmtt",
    },
    Entry {
        name: "bera",
        loads: "",
        macros: "",
    },
    Entry {
        name: "beramono",
        loads: "",
        macros: "",
    },
    Entry {
        name: "biblatex",
        loads: "etoolbox",
        macros: "\
            AtBeginBibliography AtEveryBibitem AtEveryCite AtEveryCitekey Autocite Autocites \
            Cite* DeclareBibliographyCategory DeclareBibliographyDriver DeclareDelimFormat \
            DeclareFieldFormat DeclareNameAlias DeclareSourcemap DefineBibliographyStrings \
            ExecuteBibliographyOptions Parencite Smartcite Textcite addbibresource addcolon \
            addcomma adddot addglobalbib addperiod addsemicolon addspace addtocategory \
            assignrefcontextentries autocap autocite autocites bib* brackettext cite* \
            clearfield clearlist clearname defbibcheck defbibenvironment defbibfilter \
            defbibheading defbibnote endrefsection finalnamedelim finentry fnotecite footcite \
            footcitetext footfullcite fullcite iffieldundef ifnameundef map maps mkbib* \
            multicitedelim nametitledelim newbibmacro newrefsection newrefsegment newunit \
            newunitpunct notecite parencite parencites parentext pnotecite printbibheading \
            printbibliography printbiblist printdate printfield printlist printnames printtext \
            refsection renewbibmacro smartcite step subtypesort supercite textcite textcites \
            usebibmacro volcite \
        ",
    },
    Entry {
        name: "bigstrut",
        loads: "",
        macros: "bigstrut bigstrutjot",
    },
    Entry {
        name: "blindtext",
        loads: "",
        macros: "\
            Blinddescription Blinddocument Blindenumerate Blinditemize Blindlist Blindtext \
            blinddescription blinddocument blindenumerate blinditemize blindlist blindmathfalse \
            blindmathpaper blindmathtrue blindtext parstart \
        ",
    },
    Entry {
        name: "bm",
        loads: "",
        macros: "DeclareBoldMathCommand bm bmdefine boldsymbol heavysymbol hm",
    },
    Entry {
        name: "bookman",
        loads: "",
        macros: "",
    },
    Entry {
        name: "bookmark",
        loads: "hyperref",
        macros: "\
            BookmarkAtEnd bookmark bookmarkdefinestyle bookmarkget bookmarksetup \
            bookmarksetupnext \
        ",
    },
    Entry {
        name: "booktabs",
        loads: "",
        macros: "\
            aboverulesep abovetopsep addlinespace belowbottomsep belowrulesep bottomrule \
            cmidrule cmidrulekern cmidrulesep cmidrulewidth defaultaddspace heavyrulewidth \
            lightrulewidth midrule morecmidrules specialrule toprule \
        ",
    },
    Entry {
        name: "braket",
        loads: "",
        macros: "Bra Braket Ket Set bra braket ket ketbra set",
    },
    Entry {
        name: "breqn",
        loads: "",
        macros: "condition",
    },
    Entry {
        name: "bussproofs",
        loads: "",
        macros: "\
            AX AXC Axiom AxiomC BI BIC BinaryInf BinaryInfC DP DisplayProof \
            EnableBpAbbreviations LL LeftLabel QuaternaryInfC QuinaryInfC RL RightLabel \
            ScoreOverhang ScoreOverhangLeft ScoreOverhangRight TI TIC TrinaryInf TrinaryInfC UI \
            UIC UnaryInf UnaryInfC alwaysDoubleLine alwaysNoLine alwaysRootAtBottom \
            alwaysRootAtTop alwaysSingleLine alwaysSolidLine bottomAlignProof centerAlignProof \
            dashedLine defaultHypSeparation dottedLine doubleLine fCenter insertBetweenHyps \
            kernHyps noLine normalAlignProof rootAtBottom rootAtTop singleLine solidLine \
        ",
    },
    Entry {
        name: "calc",
        loads: "",
        macros: "depthof heightof maxof minof ratio real totalheightof widthof",
    },
    Entry {
        name: "cancel",
        loads: "",
        macros: "CancelColor bcancel cancel cancelto xcancel",
    },
    Entry {
        name: "caption",
        loads: "",
        macros: "\
            ContinuedFloat DeclareCaptionFont DeclareCaptionFormat DeclareCaptionJustification \
            DeclareCaptionLabelFormat DeclareCaptionLabelSeparator DeclareCaptionListFormat \
            DeclareCaptionStyle DeclareCaptionSubType DeclareCaptionTextFormat \
            DeclareCaptionType bothIfFirst bothIfSecond caption* clearcaptionsetup nextfloat \
            phantomcaption showcaptionsetup \
        ",
    },
    Entry {
        name: "centernot",
        loads: "",
        macros: "centerOver centernot",
    },
    Entry {
        name: "changepage",
        loads: "",
        macros: "changepage changetext checkoddpage easypagecheck ifoddpage strictpagecheck",
    },
    Entry {
        name: "charter",
        loads: "",
        macros: "",
    },
    Entry {
        name: "chngcntr",
        loads: "",
        macros: "",
    },
    Entry {
        name: "circledsteps",
        loads: "",
        macros: "Circled",
    },
    Entry {
        name: "circuitikz",
        loads: "tikz siunitx",
        macros: "circuitikzset ctikz*",
    },
    Entry {
        name: "cite",
        loads: "",
        macros: "\
            CiteMoveChars OverciteFont citedash citeform citeleft citemid citen citenum \
            citenumfont citeonline citepunct citeright \
        ",
    },
    Entry {
        name: "cleveref",
        loads: "",
        macros: "\
            Cpageref Cpagerefname Cref* cpageref cpagerefname cpagerefrange cref* labelcpageref \
            labelcref lcnamecref lcnamecrefs nameCref nameCrefs namecref namecrefs \
        ",
    },
    Entry {
        name: "cmap",
        loads: "",
        macros: "",
    },
    Entry {
        name: "color",
        loads: "",
        macros: "\
            color colorbox definecolor fcolorbox nopagecolor normalcolor pagecolor textcolor \
        ",
    },
    Entry {
        name: "colortbl",
        loads: "array color",
        macros: "\
            arrayrulecolor cellcolor columncolor doublerulesepcolor hhline minrowclearance \
            rowcolor rowcolors \
        ",
    },
    Entry {
        name: "comment",
        loads: "",
        macros: "excludecomment generalcomment includecomment processcomment specialcomment",
    },
    Entry {
        name: "courier",
        loads: "",
        macros: "",
    },
    Entry {
        name: "csquotes",
        loads: "etoolbox",
        macros: "\
            DeclareQuoteAlias DeclareQuoteStyle ExecuteQuoteOptions MakeAutoQuote \
            MakeBlockQuote MakeInnerQuote MakeOuterQuote SetBlockThreshold SetCiteCommand \
            blockcquote blockquote closeautoquote closetextquote enquote* foreignblockquote \
            foreignquote foreigntextquote hybridblockquote hyphenquote mkbegdispquote \
            mkblockquote mkcitation mktextquote openautoquote openinnerquote opentextquote \
            setquotestyle textcquote textdel textelp textins textquote \
        ",
    },
    Entry {
        name: "datetime2",
        loads: "",
        macros: "DTM*",
    },
    Entry {
        name: "dcolumn",
        loads: "array",
        macros: "DC newcolumntype",
    },
    Entry {
        name: "dsfont",
        loads: "",
        macros: "mathds",
    },
    Entry {
        name: "empheq",
        loads: "mathtools",
        macros: "empheq*",
    },
    Entry {
        name: "emptypage",
        loads: "",
        macros: "",
    },
    Entry {
        name: "enumerate",
        loads: "",
        macros: "",
    },
    Entry {
        name: "enumitem",
        loads: "",
        macros: "\
            AddEnumerateCounter DrawEnumitemLabel EnumitemId SetEnumerateShortLabel \
            SetEnumitemKey SetEnumitemValue SetLabelAlign enlargelinewidth labelindent newlist \
            renewlist restartlist setdescription setenumerate setitemize setlist setlistdepth \
        ",
    },
    Entry {
        name: "epstopdf",
        loads: "",
        macros: "AppendGraphicsExtensions epstopdfDeclareGraphicsRule epstopdfsetup",
    },
    Entry {
        name: "esint",
        loads: "",
        macros: "\
            dotsint fint iiint iint landdownint landupint oiiint oiint ointclockwise \
            ointctrclockwise sqiint sqint varoiint varointclockwise varointctrclockwise \
        ",
    },
    Entry {
        name: "eso-pic",
        loads: "",
        macros: "\
            AddToShipoutPicture AddToShipoutPictureBG AddToShipoutPictureFG AtPageCenter \
            AtPageLowerLeft AtPageUpperLeft AtStockCenter AtTextCenter AtTextLowerLeft \
            AtTextUpperLeft ClearShipoutPicture ClearShipoutPictureBG ClearShipoutPictureFG \
            LenToUnit gridSetup \
        ",
    },
    Entry {
        name: "esvect",
        loads: "",
        macros: "vv",
    },
    Entry {
        name: "etoolbox",
        loads: "",
        macros: "\
            AfterEndDocument AfterEndEnvironment AfterPreamble AtBeginEnvironment \
            AtEndEnvironment AtEndPreamble BeforeBeginEnvironment DeclareListParser appto \
            apptocmd boolfalse booltrue csappto csdef csedef csexpandonce csgappto csgdef cslet \
            csletcs csmeaning cspreto csundef csuse csxdef defcounter deflength dimdef \
            docslistloop docsvlist dolistloop eappto epreto expandonce forcsvlist forlistloop \
            gappto gluedef gpreto ifblank ifbool ifboolexpe ifboolexpr ifcsdef ifcsempty \
            ifcsequal ifcsstring ifcsundef ifcsvoid ifdef ifdefcounter ifdefempty ifdefequal \
            ifdeflength ifdefmacro ifdefparam ifdefstrequal ifdefstring ifdefvoid ifdimcomp \
            ifdimequal ifdimgreater ifdimless ifinlist ifnumcomp ifnumequal ifnumgreater \
            ifnumless ifnumodd ifpatchable ifrmnum ifstrempty ifstrequal iftoggle ifundef letcs \
            listadd listbreak listcsadd listeadd listgadd listxadd newbool newrobustcmd \
            newtoggle notblank notbool nottoggle numdef numgdef patchcmd preto pretocmd \
            protecting providerobustcmd renewrobustcmd rmntonum robustify setbool settoggle \
            togglefalse toggletrue tracingpatches undef unlessboolexpr whileboolexpr xappto \
            xifinlist xpreto \
        ",
    },
    Entry {
        name: "eucal",
        loads: "",
        macros: "mathscr",
    },
    Entry {
        name: "eurosym",
        loads: "",
        macros: "EUR euro geneuro geneuronarrow officialeuro",
    },
    Entry {
        name: "euscript",
        loads: "",
        macros: "EuScript mathscr",
    },
    Entry {
        name: "everypage",
        loads: "",
        macros: "AddEverypageHook AddThispageHook",
    },
    Entry {
        name: "extarrows",
        loads: "",
        macros: "\
            xLeftarrow xLeftrightarrow xLongleftarrow xLongleftrightarrow xLongrightarrow \
            xRightarrow xleftrightarrow xlongequal xlongleftarrow xlongleftrightarrow \
            xlongrightarrow \
        ",
    },
    Entry {
        name: "fancyhdr",
        loads: "",
        macros: "\
            cfoot chead fancycenter fancyfoot fancyfootinit fancyfootoffset fancyhead \
            fancyheadinit fancyheadoffset fancyhf fancyhfinit fancyhfoffset fancypagestyle \
            footrule footruleskip footrulewidth headrule headruleskip headrulewidth headwidth \
            ifbotfloat iffloatpage iffootnote iftopfloat lastpage lfoot lhead nouppercase \
            plainfootrulewidth plainheadrulewidth rfoot rhead \
        ",
    },
    Entry {
        name: "fancyvrb",
        loads: "",
        macros: "\
            BUseVerbatim BVerbatimInput CustomVerbatimEnvironment DefineShortVerb \
            DefineVerbatimEnvironment EscVerb FancyVerbFormatLine FancyVerbLine LUseVerbatim \
            LVerbatimInput RecustomVerbatimCommand RecustomVerbatimEnvironment SaveVerb \
            SaveVerbatim UndefineShortVerb UseVerb UseVerbatim Verb VerbatimEnvironment \
            VerbatimFootnotes VerbatimInput VerbatimOut fvset theFancyVerbLine \
        ",
    },
    Entry {
        name: "fixltx2e",
        loads: "",
        macros: "",
    },
    Entry {
        name: "flafter",
        loads: "",
        macros: "",
    },
    Entry {
        name: "float",
        loads: "",
        macros: "floatevery floatname floatplacement floatstyle listof newfloat restylefloat",
    },
    Entry {
        name: "fontawesome5",
        loads: "",
        macros: "fa*",
    },
    Entry {
        name: "fontenc",
        loads: "",
        macros: "",
    },
    Entry {
        name: "fontspec",
        loads: "",
        macros: "\
            DeclareFontsExtensions IfFontExistsTF addfontfeature addfontfeatures \
            aliasfontfeature aliasfontfeatureoption defaultfontfeatures fontspec newAATfeature \
            newICUfeature newfontface newfontfamily newfontfeature newopentypefeature \
            providefontfamily renewfontface renewfontfamily setboldmathrm setfontfamily \
            setmainfont setmathrm setmathsf setmathtt setmonofont setromanfont setsansfont \
            strong strongfontdeclare textsi \
        ",
    },
    Entry {
        name: "footmisc",
        loads: "",
        macros: "\
            DefineFNsymbols footnotelayout footnotemargin footref hangfootparindent \
            hangfootparskip mpfootnotemark multiplefootnotemarker setfnsymbol \
        ",
    },
    Entry {
        name: "footnote",
        loads: "",
        macros: "makesavenoteenv savenotes spewnotes",
    },
    Entry {
        name: "fourier",
        loads: "",
        macros: "",
    },
    Entry {
        name: "fouriernc",
        loads: "",
        macros: "",
    },
    Entry {
        name: "framed",
        loads: "",
        macros: "\
            FirstFrameCommand FrameCommand FrameHeightAdjust FrameRestore FrameRule FrameSep \
            LastFrameCommand MakeFramed MidFrameCommand OuterFrameSep endMakeFramed \
        ",
    },
    Entry {
        name: "fullpage",
        loads: "",
        macros: "",
    },
    Entry {
        name: "fvextra",
        loads: "fancyvrb etoolbox",
        macros: "",
    },
    Entry {
        name: "gensymb",
        loads: "",
        macros: "celsius degree micro ohm perthousand",
    },
    Entry {
        name: "geometry",
        loads: "",
        macros: "geometry loadgeometry newgeometry restoregeometry savegeometry",
    },
    Entry {
        name: "glossaries",
        loads: "etoolbox",
        macros: "\
            Acr* GLS* Gls* ac acf acl acp acr* acs forglsentries glossaryheader glossaryname \
            glossarypreamble glossarysection gls* ifglsentryexists ifglsused loadglsentries \
            longnewglossaryentry makeglossaries makenoidxglossaries newacronym newglossary \
            newglossaryentry newglossarystyle newterm printacronyms printglossaries \
            printglossary printindex printnoidxglossaries printnoidxglossary printnumbers \
            printsymbols provideglossaryentry setacronymstyle setglossarysection \
            setglossarystyle \
        ",
    },
    Entry {
        name: "graphics",
        loads: "",
        macros: "\
            DeclareGraphicsExtensions DeclareGraphicsRule Gin graphicspath includegraphics \
            reflectbox resizebox rotatebox scalebox \
        ",
    },
    Entry {
        name: "graphicx",
        loads: "graphics",
        macros: "",
    },
    Entry {
        name: "grffile",
        loads: "",
        macros: "",
    },
    Entry {
        name: "helvet",
        loads: "",
        macros: "",
    },
    Entry {
        name: "hhline",
        loads: "",
        macros: "hhline",
    },
    Entry {
        name: "hologo",
        loads: "",
        macros: "Hologo hologo hologoSetup",
    },
    Entry {
        name: "hypcap",
        loads: "",
        macros: "capstart",
    },
    Entry {
        name: "hyperref",
        loads: "url nameref",
        macros: "\
            Acrobatmenu CheckBox ChoiceMenu Hurl Hy* Itemautorefname LayoutTextField \
            LinkTargetOff LinkTargetOn MakeLinkTarget NextLinkTarget PushButton Reset \
            SetLinkTargetFilter Submit TextField appendixautorefname autopageref autoref \
            belowpdfbookmark chapterautorefname currentpdfbookmark equationautorefname \
            figureautorefname footnoteautorefname href hrefurl hyper* itemautorefname \
            nohyperpage nolinkurl pageautorefname partautorefname pdfbookmark pdfstringdef \
            pdfstringdefDisableCommands phantomsection sectionautorefname subpdfbookmark \
            subsectionautorefname subsubsectionautorefname tableautorefname texorpdfstring \
            theHchapter theHequation theHfigure theHsection theHtable theoremautorefname \
            thispdfpagelabel unichar url \
        ",
    },
    Entry {
        name: "ifluatex",
        loads: "",
        macros: "ifluatex",
    },
    Entry {
        name: "ifoddpage",
        loads: "",
        macros: "checkoddpage ifoddpage",
    },
    Entry {
        name: "ifpdf",
        loads: "",
        macros: "ifpdf",
    },
    Entry {
        name: "iftex",
        loads: "",
        macros: "\
            RequireLuaTeX RequirePDFTeX RequireTUTeX RequireXeTeX ifLuaHBTeX ifLuaTeX ifPDF \
            ifPDFTeX ifTUTeX ifXeTeX ifluahbtex ifluatex ifpTeX ifpdf ifpdftex iftutex ifupTeX \
            ifxetex \
        ",
    },
    Entry {
        name: "ifthen",
        loads: "",
        macros: "\
            AND NOT OR boolean equal ifthenelse isodd isundefined lengthtest newboolean \
            provideboolean setboolean whiledo \
        ",
    },
    Entry {
        name: "ifxetex",
        loads: "",
        macros: "ifxetex",
    },
    Entry {
        name: "imakeidx",
        loads: "",
        macros: "indexprologue indexsetup printindex splitindexoptions",
    },
    Entry {
        name: "import",
        loads: "",
        macros: "import includefrom inputfrom subimport subincludefrom subinputfrom",
    },
    Entry {
        name: "inconsolata",
        loads: "",
        macros: "",
    },
    Entry {
        name: "indentfirst",
        loads: "",
        macros: "",
    },
    Entry {
        name: "inputenc",
        loads: "",
        macros: "inputencoding",
    },
    Entry {
        name: "intcalc",
        loads: "",
        macros: "intcalcAdd intcalcMod",
    },
    Entry {
        name: "kpfonts",
        loads: "",
        macros: "",
    },
    Entry {
        name: "kvoptions",
        loads: "",
        macros: "DeclareBoolOption DeclareStringOption ProcessKeyvalOptions SetupKeyvalOptions",
    },
    Entry {
        name: "lastpage",
        loads: "",
        macros: "lastpage",
    },
    Entry {
        name: "latexsym",
        loads: "",
        macros: "Box Diamond Join leadsto lhd mho rhd sqsubset sqsupset unlhd unrhd",
    },
    Entry {
        name: "letltxmacro",
        loads: "",
        macros: "GlobalLetLtxMacro LetLtxMacro",
    },
    Entry {
        name: "libertine",
        loads: "",
        macros: "",
    },
    Entry {
        name: "libertinus",
        loads: "",
        macros: "",
    },
    Entry {
        name: "lineno",
        loads: "",
        macros: "\
            LineNumber displaylinenumbers firstlinenumber internallinenumbers leftlinenumbers \
            linelabel linenumberfont linenumbers linenumbersep lineref makeLineNumber \
            modulolinenumbers nodisplaylinenumbers nolinenumbers pagewiselinenumbers \
            resetlinenumber rightlinenumbers runninglinenumbers runningpagewiselinenumbers \
            setpagewiselinenumbers setrunninglinenumbers switchlinenumbers thelinenumber \
        ",
    },
    Entry {
        name: "lipsum",
        loads: "",
        macros: "\
            LipsumPar SetLipsumDefault SetLipsumParListStart lipsum lipsumexp setlipsum \
            unpacklipsum \
        ",
    },
    Entry {
        name: "listings",
        loads: "",
        macros: "lst* thelstlisting thelstnumber",
    },
    Entry {
        name: "lmodern",
        loads: "",
        macros: "",
    },
    Entry {
        name: "longtable",
        loads: "",
        macros: "\
            LTcapskip LTcapwidth LTchunksize LTleft LTpost LTpre LTright endfirsthead endfoot \
            endhead endlastfoot setLTcapwidth setlongtables \
        ",
    },
    Entry {
        name: "lscape",
        loads: "",
        macros: "",
    },
    Entry {
        name: "makecell",
        loads: "",
        macros: "\
            Gape Xcline Xhline botstrut bottopstrut cellalign cellgape cellrotangle cellset \
            diaghead eline gape makecell makegapedcells multirowcell multirowthead \
            multirowtheadpos nline nomakegapedcells rothead rotheadsize setcellgapes thead \
            theadalign theadfont theadgape theadset topstrut \
        ",
    },
    Entry {
        name: "makeidx",
        loads: "",
        macros: "printindex see seealso",
    },
    Entry {
        name: "marvosym",
        loads: "",
        macros: "\
            EUR EURtm Email Fax Info Letter Lightning Mobilefone Mundus Pointinghand Telefon \
        ",
    },
    Entry {
        name: "mathpazo",
        loads: "",
        macros: "",
    },
    Entry {
        name: "mathptmx",
        loads: "",
        macros: "",
    },
    Entry {
        name: "mathrsfs",
        loads: "",
        macros: "mathscr",
    },
    Entry {
        name: "mathtools",
        loads: "amsmath calc",
        macros: "\
            Aboxed Alphat ArrowBetweenLines Colonapprox Coloneq Coloneqq Colonsim \
            DeclarePairedDelimiter DeclarePairedDelimiterX DeclarePairedDelimiterXPP EQ Eqcolon \
            Eqqcolon LEFTRIGHT MTFlushSpaceAbove MTFlushSpaceBelow MTThinColon MoveEqLeft \
            SwapAboveDisplaySkip adjustlimits approxcolon bigtimes clap colonapprox coloneq \
            coloneqq colonsim cramped crampedclap crampedllap crampedrlap crampedsubstack \
            dblcolon delimsize downbracketfill eqcolon eqqcolon leftrightarrows lparen mathclap \
            mathllap mathmakebox mathmbox mathrlap mathtoolsset multlined ndownarrow newcases \
            newgathered newtagform noeqref nuparrow ordinarycolon origjot overbracket prescript \
            reDeclarePairedDelimiterInnerWrapper refeq renewcases renewgathered renewtagform \
            rparen shortdotswithin shortintertext shortvdotswithin simcolon smashoperator \
            splitdfrac splitfrac textclap underbracket upbracketfill usetagform vcentcolon \
            vdotswithin xLeftarrow xLeftrightarrow xRightarrow xhookleftarrow xhookrightarrow \
            xleftharpoondown xleftharpoonup xleftrightarrow xleftrightharpoons xmapsto \
            xmathstrut xrightharpoondown xrightharpoonup xrightleftharpoons \
        ",
    },
    Entry {
        name: "mdframed",
        loads: "etoolbox",
        macros: "mdf* mdtheorem newmdenv newmdtheoremenv renewmdenv surroundwithmdframed",
    },
    Entry {
        name: "metalogo",
        loads: "",
        macros: "LuaLaTeX LuaTeX XeLaTeX XeTeX setLaTeXa setLaTeXee setlogodrop setlogokern",
    },
    Entry {
        name: "mhchem",
        loads: "",
        macros: "bond ce cee cf mhchemoptions",
    },
    Entry {
        name: "microtype",
        loads: "",
        macros: "\
            DeclareMicrotypeAlias DeclareMicrotypeBabelHook DeclareMicrotypeSet \
            DeclareMicrotypeVariants DisableLigatures LoadMicrotypeFile SetExpansion \
            SetExtraKerning SetExtraSpacing SetProtrusion SetTracking UseMicrotypeSet \
            leftprotrusion lsstyle microtypecontext microtypesetup noprotrusion \
            noprotrusionifhmode rightprotrusion textls textmicrotypecontext \
        ",
    },
    Entry {
        name: "minted",
        loads: "fancyvrb",
        macros: "\
            inputminted listingscaption listoflistings listoflistingscaption mint mintedpython \
            mintinline newmint newminted newmintedfile newmintinline setminted setmintedinline \
            theFancyVerbLine thelisting usemintedstyle \
        ",
    },
    Entry {
        name: "moreverb",
        loads: "",
        macros: "listinginput verbatimtabinput",
    },
    Entry {
        name: "morewrites",
        loads: "",
        macros: "",
    },
    Entry {
        name: "multicol",
        loads: "",
        macros: "\
            columnbreak columnseprulecolor docolaction flushcolumns multicolpretolerance \
            multicolsep multicoltolerance newcolumn postmulticols premulticols raggedcolumns \
        ",
    },
    Entry {
        name: "multirow",
        loads: "",
        macros: "bigstrutjot multirow multirowdebug multirowsetup",
    },
    Entry {
        name: "nameref",
        loads: "",
        macros: "Nameref nameref",
    },
    Entry {
        name: "natbib",
        loads: "",
        macros: "\
            Cite* bibcommenthead bibfont bibhang bibnumfmt bibpostamble bibpreamble bibpunct \
            bibsection bibsep cite* defcitealias natexlab setcitestyle shortcites \
        ",
    },
    Entry {
        name: "needspace",
        loads: "",
        macros: "Needspace needspace",
    },
    Entry {
        name: "newpxmath",
        loads: "",
        macros: "",
    },
    Entry {
        name: "newpxtext",
        loads: "",
        macros: "",
    },
    Entry {
        name: "newtxmath",
        loads: "",
        macros: "",
    },
    Entry {
        name: "newtxtext",
        loads: "",
        macros: "",
    },
    Entry {
        name: "newunicodechar",
        loads: "",
        macros: "newunicodechar",
    },
    Entry {
        name: "nicefrac",
        loads: "",
        macros: "nicefrac",
    },
    Entry {
        name: "nomencl",
        loads: "",
        macros: "\
            eqdeclaration makenomenclature nomenclature nomenclname nomentryend nomgroup \
            nomitemsep nomlabel nomname nompostamble nompreamble pagedeclaration \
            printnomenclature \
        ",
    },
    Entry {
        name: "nth",
        loads: "",
        macros: "nth",
    },
    Entry {
        name: "orcidlink",
        loads: "",
        macros: "orcidlink orcidlinkX",
    },
    Entry {
        name: "palatino",
        loads: "",
        macros: "",
    },
    Entry {
        name: "paralist",
        loads: "",
        macros: "\
            asparaenum inparaenum plitemsep plparsep pltopsep setdefaultenum setdefaultitem \
            setdefaultleftmargin \
        ",
    },
    Entry {
        name: "parskip",
        loads: "",
        macros: "",
    },
    Entry {
        name: "pdflscape",
        loads: "lscape",
        macros: "",
    },
    Entry {
        name: "pdfpages",
        loads: "",
        macros: "includepdf includepdfmerge includepdfset threadinfodict",
    },
    Entry {
        name: "pgf",
        loads: "",
        macros: "pgf*",
    },
    Entry {
        name: "pgf-pie",
        loads: "tikz",
        macros: "pie",
    },
    Entry {
        name: "pgffor",
        loads: "",
        macros: "breakforeach foreach",
    },
    Entry {
        name: "pgfgantt",
        loads: "tikz",
        macros: "\
            gantt* newganttchartelement newganttlinktype setganttlinklabel xLeft xRight yLower \
            yUpper \
        ",
    },
    Entry {
        name: "pgfornament",
        loads: "tikz",
        macros: "pgfornament",
    },
    Entry {
        name: "pgfplots",
        loads: "tikz",
        macros: "\
            addlegendentry addlegendimage addplot addplotgraphics axis axisdefaultheight \
            axisdefaultwidth closedcycle coordindex legend lineno logten matlabtoken \
            nextgroupplot nexttick numplots numplotsofactualtype pgf* pgfplots* plotnum \
            plotnumofactualtype plotpoint strutheight thisrow thisrowno tick usepgfplotslibrary \
        ",
    },
    Entry {
        name: "pgfplotstable",
        loads: "pgfplots",
        macros: "pgfplotstableread pgfplotstableset pgfplotstabletypeset",
    },
    Entry {
        name: "physics",
        loads: "amsmath",
        macros: "\
            Bmqty Bqty PV Res Tr Trace abs absolutevalue acomm acos admat anticommutator asin \
            atan bmqty bqty bra braket comm commutator cp cross crossproduct curl dd derivative \
            diagonalmatrix differential divergence divisionsymbol dmat dotproduct dv dyad erf \
            ev eval evaluated expectationvalue expval fdv flatfrac functionalderivative grad \
            gradient gradientnabla identitymatrix imaginary imat innerproduct ip ket ketbra \
            laplacian matrixel matrixelement mel mqty norm op order outerproduct \
            partialderivative paulimatrix pb pdv pmat pmqty poissonbracket pqty principalvalue \
            pv qall qand qas qassume qc qcc qcomma qelse qeven qfor qgiven qif qin qinteger \
            qlet qodd qor qotherwise qq qqtext qsince qthen qty quantity qunless qusing rank \
            real smqty tr trace va var variation vb vdot vectorarrow vectorbold vectorunit \
            vmqty vqty vu xmat zeromatrix zmat \
        ",
    },
    Entry {
        name: "pifont",
        loads: "",
        macros: "Pifill Pifont Piline Pisymbol ding dingfill dingline",
    },
    Entry {
        name: "placeins",
        loads: "",
        macros: "FloatBarrier",
    },
    Entry {
        name: "polyglossia",
        loads: "fontspec",
        macros: "\
            aliaslanguage foreignlanguage resetdefaultlanguage selectlanguage \
            setdefaultlanguage setmainlanguage setotherlanguage setotherlanguages text* \
        ",
    },
    Entry {
        name: "printlen",
        loads: "",
        macros: "printlength uselengthunit",
    },
    Entry {
        name: "pxfonts",
        loads: "",
        macros: "",
    },
    Entry {
        name: "ragged2e",
        loads: "",
        macros: "\
            Centering CenteringLeftskip CenteringRightskip JustifyingParfillskip \
            JustifyingParindent RaggedLeft RaggedRight RaggedRightLeftskip RaggedRightParindent \
            RaggedRightRightskip justify justifying \
        ",
    },
    Entry {
        name: "relsize",
        loads: "",
        macros: "\
            larger mathlarger mathsmaller relscale relsize smaller textlarger textscale \
            textsmaller \
        ",
    },
    Entry {
        name: "rotating",
        loads: "graphicx",
        macros: "rotatebox turn",
    },
    Entry {
        name: "rotfloat",
        loads: "rotating float",
        macros: "",
    },
    Entry {
        name: "scalerel",
        loads: "",
        macros: "\
            LMex LMpt SavedStyle ThisStyle scaleleftright scaleobj scalerel scaleto \
            stretchleftright stretchrel stretchto \
        ",
    },
    Entry {
        name: "scrextend",
        loads: "",
        macros: "\
            DeclareNewSectionCommand DeclareNewTOC DeclareTOCStyleEntries DeclareTOCStyleEntry \
            IfUsePrefixLine Ifthispageodd KOMAoption KOMAoptions RedeclareSectionCommand \
            RedeclareSectionCommands SecDef addchap addchaptertocentry addmargin addpart addsec \
            addsectiontocentry addtokomafont addtokomafontgobblelist addtoplength appendixmore \
            areaset autodot automark captionabove captionaboveof captionbelow captionbelowof \
            captionformat cc cefoot cehead cfoot chapapp chapappifchapterprefix chapterformat \
            chapterheadendvskip chapterheadstartvskip chapterlinesformat chaptermark \
            chaptermarkformat chapterpagestyle chead cleardoubleemptypage cleardoubleevenpage \
            cleardoubleoddpage cleardoublepageusingstyle cleardoubleplainpage \
            cleardoublestandardpage clearpairofpagestyles clearscrheadfoot closing cofoot \
            cohead dedication deffootnote deffootnotemark deftocheading dictum \
            dictumauthorformat dictumrule dictumwidth encl extratitle figureformat frontispiece \
            headfont headmark ifdvioutput ifkomavar ifoot ifstr ifthispageodd ihead \
            indexpagestyle labelinglabel lefoot lehead lofoot lohead lowertitleback manualmark \
            marginline minisec multfootsep multiplefootnoteseparator newbibstyle newkomavar \
            newplength ofoot ohead opening othersectionlevelsformat pagemark partformat \
            partpagestyle pnumbwidth pnumfont ps publishers raggedchapter raggeddictum \
            raggeddictumauthor raggeddictumtext raggedpart raggedsection recalctypearea refoot \
            rehead rofoot rohead sectfont sectioncatchphraseformat sectionformat \
            sectionlinesformat sectionmarkformat setcaphanging setcapindent setcapmargin \
            setcapwidth setchapterpreamble setfootbotline setfootnoterule setfootsepline \
            setheadsepline setkomafont setkomavar setpartpreamble setplength setuptoc \
            storeareas subject subtitle tableformat thefootnotemark titlefont titlehead \
            titlepagestyle typearea unsettoc uppertitleback usefontofkomafont usekomafont \
            usekomavar useplength usesizeofkomafont \
        ",
    },
    Entry {
        name: "scrlayer-scrpage",
        loads: "",
        macros: "\
            DeclareNewSectionCommand DeclareNewTOC DeclareTOCStyleEntries DeclareTOCStyleEntry \
            IfUsePrefixLine Ifthispageodd KOMAoption KOMAoptions RedeclareSectionCommand \
            RedeclareSectionCommands SecDef addchap addchaptertocentry addpart addsec \
            addsectiontocentry addtokomafont addtokomafontgobblelist addtoplength appendixmore \
            areaset autodot automark captionabove captionaboveof captionbelow captionbelowof \
            captionformat cc cefoot cehead cfoot chapapp chapappifchapterprefix chapterformat \
            chapterheadendvskip chapterheadstartvskip chapterlinesformat chaptermark \
            chaptermarkformat chapterpagestyle chead cleardoubleemptypage cleardoubleevenpage \
            cleardoubleoddpage cleardoublepageusingstyle cleardoubleplainpage \
            cleardoublestandardpage clearpairofpagestyles clearscrheadfoot closing cofoot \
            cohead dedication deffootnote deffootnotemark deftocheading dictum \
            dictumauthorformat dictumrule dictumwidth encl extratitle figureformat frontispiece \
            headfont headmark ifdvioutput ifkomavar ifoot ifstr ifthispageodd ihead \
            indexpagestyle labelinglabel lefoot lehead lofoot lohead lowertitleback manualmark \
            marginline minisec multfootsep multiplefootnoteseparator newbibstyle newkomavar \
            newplength ofoot ohead opening othersectionlevelsformat pagemark partformat \
            partpagestyle pnumbwidth pnumfont ps publishers raggedchapter raggeddictum \
            raggeddictumauthor raggeddictumtext raggedpart raggedsection recalctypearea refoot \
            rehead rofoot rohead sectfont sectioncatchphraseformat sectionformat \
            sectionlinesformat sectionmarkformat setcaphanging setcapindent setcapmargin \
            setcapwidth setchapterpreamble setfootbotline setfootnoterule setfootsepline \
            setheadsepline setkomafont setkomavar setpartpreamble setplength setuptoc \
            storeareas subject subtitle tableformat thefootnotemark titlefont titlehead \
            titlepagestyle typearea unsettoc uppertitleback usefontofkomafont usekomafont \
            usekomavar useplength usesizeofkomafont \
        ",
    },
    Entry {
        name: "scrpage2",
        loads: "",
        macros: "\
            DeclareNewSectionCommand DeclareNewTOC DeclareTOCStyleEntries DeclareTOCStyleEntry \
            IfUsePrefixLine Ifthispageodd KOMAoption KOMAoptions RedeclareSectionCommand \
            RedeclareSectionCommands SecDef addchap addchaptertocentry addpart addsec \
            addsectiontocentry addtokomafont addtokomafontgobblelist addtoplength appendixmore \
            areaset autodot automark captionabove captionaboveof captionbelow captionbelowof \
            captionformat cc cefoot cehead cfoot chapapp chapappifchapterprefix chapterformat \
            chapterheadendvskip chapterheadstartvskip chapterlinesformat chaptermark \
            chaptermarkformat chapterpagestyle chead cleardoubleemptypage cleardoubleevenpage \
            cleardoubleoddpage cleardoublepageusingstyle cleardoubleplainpage \
            cleardoublestandardpage clearpairofpagestyles clearscrheadfoot closing cofoot \
            cohead dedication deffootnote deffootnotemark deftocheading dictum \
            dictumauthorformat dictumrule dictumwidth encl extratitle figureformat frontispiece \
            headfont headmark ifdvioutput ifkomavar ifoot ifstr ifthispageodd ihead \
            indexpagestyle labelinglabel lefoot lehead lofoot lohead lowertitleback manualmark \
            marginline minisec multfootsep multiplefootnoteseparator newbibstyle newkomavar \
            newplength ofoot ohead opening othersectionlevelsformat pagemark partformat \
            partpagestyle pnumbwidth pnumfont ps publishers raggedchapter raggeddictum \
            raggeddictumauthor raggeddictumtext raggedpart raggedsection recalctypearea refoot \
            rehead rofoot rohead sectfont sectioncatchphraseformat sectionformat \
            sectionlinesformat sectionmarkformat setcaphanging setcapindent setcapmargin \
            setcapwidth setchapterpreamble setfootbotline setfootnoterule setfootsepline \
            setheadsepline setkomafont setkomavar setpartpreamble setplength setuptoc \
            storeareas subject subtitle tableformat thefootnotemark titlefont titlehead \
            titlepagestyle typearea unsettoc uppertitleback usefontofkomafont usekomafont \
            usekomavar useplength usesizeofkomafont \
        ",
    },
    Entry {
        name: "sectsty",
        loads: "",
        macros: "\
            allsectionsfont chapterfont chapternumberfont chaptertitlefont makechapterline \
            minisecfont nohang paragraphfont partfont sectionfont sectionrule subparagraphfont \
            subsectionfont subsubsectionfont ulemheading \
        ",
    },
    Entry {
        name: "seqsplit",
        loads: "",
        macros: "seqsplit",
    },
    Entry {
        name: "setspace",
        loads: "",
        macros: "\
            SetSinglespace displayskipstretch doublespacing onehalfspacing \
            setdisplayskipstretch setstretch singlespacing \
        ",
    },
    Entry {
        name: "sfmath",
        loads: "",
        macros: "",
    },
    Entry {
        name: "showframe",
        loads: "",
        macros: "",
    },
    Entry {
        name: "showkeys",
        loads: "",
        macros: "showkeyslabelformat",
    },
    Entry {
        name: "showlabels",
        loads: "",
        macros: "showlabelfont showlabelrefline showlabels showlabelsetlabel",
    },
    Entry {
        name: "siunitx",
        loads: "",
        macros: "\
            A C DeclareSIPower DeclareSIPrefix DeclareSIQualifier DeclareSIUnit F GHz GPa GeV \
            Hz J K MHz MJ MPa MW MeV Mohm N Pa SI SIlist SIrange T THz TeV V W ampere amu ang \
            angstrom arcminute arcsecond astronomicalunit atomicmass atto barn becquerel bel \
            bit bohr byte cancel candela celsius centi clight cm complexnum complexqty coulomb \
            cubed cubic dB dalton deca deci decibel degree degreeCelsius deka dm eV \
            electronmass electronvolt elementarycharge exa exbi fF farad femto fg fm fs g gibi \
            giga gram gray hartree hectare hecto henry hertz highlight hl hour joule kA kHz kJ \
            kN kPa kV kW kWh katal keV kelvin kg kibi kilo kilogram km knot kohm lightyear \
            liter litre lumen lux m mA mH mHz mJ mL mN mV mW mebi mega meter metre mg micro \
            milli minute ml mm mmHg mmol mohm mol mole ms nA nF nH nV nano nauticalmile neper \
            newton nm ns num numlist numproduct numrange ohm pA pF pH pV parsec pascal pebi per \
            percent peta pg pico planckbar ps qty qtylist qtyproduct qtyrange radian raiseto s \
            second si siemens sievert sisetup square squared steradian tablenum tebi tera tesla \
            tonne tothe uA uF uJ uV ug um unit us volt watt weber yobi yocto yotta zebi zepto \
            zetta \
        ",
    },
    Entry {
        name: "slashed",
        loads: "",
        macros: "declareslashed slashed",
    },
    Entry {
        name: "soul",
        loads: "",
        macros: "\
            caps capsdef capsreset capssave capsselect hl resetul sethlcolor setstcolor setul \
            setulcolor setuldepth setuloverlap so sodef soulaccent soulomit soulregister st \
            textul ul \
        ",
    },
    Entry {
        name: "standalone",
        loads: "",
        macros: "includestandalone standaloneconfig standaloneenv standaloneignore",
    },
    Entry {
        name: "stfloats",
        loads: "",
        macros: "fnbelowfloat fnunderfloat setbaselinefixed setbaselinefloat",
    },
    Entry {
        name: "stmaryrd",
        loads: "",
        macros: "\
            Arrownot Lbag Mapsfrom Mapsto Mapstochar Rbag Ydown Yleft Yright Yup arrownot baro \
            bbslash bigbox bigcurlyvee bigcurlywedge biginterleave bignplus bigparallel \
            bigsqcap binampersand bindnasrepma boxbar boxbox boxcircle boxempty boxslash \
            curlyveedownarrow curlyveeuparrow curlywedgedownarrow curlywedgeuparrow fatbslash \
            fatsemi fatslash inplus interleave lbag leftarrowtriangle leftrightarroweq \
            leftrightarrowtriangle leftslice lightning llbracket llceil llfloor llparenthesis \
            longmapsfrom mapsfrom mapsfromchar merge minuso moo niplus nnearrow nnwarrow nplus \
            ntrianglelefteqslant ntrianglerighteqslant oast obar oblong obslash ocircle \
            ogreaterthan olessthan ovee owedge rbag rightarrowtriangle rightslice rrbracket \
            rrceil rrfloor rrparenthesis shortdownarrow shortleftarrow shortrightarrow \
            shortuparrow ssearrow sslash sswarrow subsetplus supsetplus trianglelefteqslant \
            trianglerighteqslant varbigcirc varcurlyvee varcurlywedge varoast varobar \
            varobslash varocircle varodot varogreaterthan varolessthan varominus varoplus \
            varoslash varotimes varovee varowedge vartimes \
        ",
    },
    Entry {
        name: "subcaption",
        loads: "caption",
        macros: "\
            DeclareCaptionSubType phantomsubcaption subcaption subcaptionbox \
            subcaptionlistentry subcaptiontext subfloat subref thesubfigure thesubtable \
        ",
    },
    Entry {
        name: "subfig",
        loads: "caption",
        macros: "\
            ContinuedFloat listsubcaptions newsubfloat subfigcapskip subfigtopskip subfloat \
            subref thesubfigure thesubtable \
        ",
    },
    Entry {
        name: "subfigure",
        loads: "",
        macros: "goodgap subfigtopskip subfigure subref subtable thesubfigure thesubtable",
    },
    Entry {
        name: "supertabular",
        loads: "",
        macros: "\
            bottomcaption shrinkheight tablecaption tablefirsthead tablehead tablelasttail \
            tabletail topcaption \
        ",
    },
    Entry {
        name: "svg",
        loads: "graphicx",
        macros: "includeinkscape includesvg svgpath svgsetup",
    },
    Entry {
        name: "tabu",
        loads: "array",
        macros: "\
            everyrow extrarowsep newtabulinestyle rowfont tabulinesep tabulinestyle \
            tabuphantomline taburulecolor \
        ",
    },
    Entry {
        name: "tabularx",
        loads: "array",
        macros: "tabularxcolumn tracingtabularx",
    },
    Entry {
        name: "tabulary",
        loads: "array",
        macros: "tyformat tymax tymin",
    },
    Entry {
        name: "tcolorbox",
        loads: "tikz etoolbox",
        macros: "\
            DeclareTCBListing DeclareTCBox DeclareTColorBox DeclareTotalTColorBox NewTCBListing \
            NewTCBox NewTColorBox NewTotalTColorBox newtcbinputlisting newtcblisting newtcbox \
            newtcbtheorem newtcolorbox renewtcolorbox tcb* thetcbcounter thetcolorboxnumber \
        ",
    },
    Entry {
        name: "textcomp",
        loads: "",
        macros: "text*",
    },
    Entry {
        name: "textgreek",
        loads: "",
        macros: "text*",
    },
    Entry {
        name: "textpos",
        loads: "",
        macros: "\
            TPGrid TPHorizModule TPMargin TPVertModule TPoptions TPshowboxesfalse \
            TPshowboxestrue tekstblokkleur textblockcolor textblockcolour textblocklabel \
            textblockorigin textblockrulecolor textblockrulecolour \
        ",
    },
    Entry {
        name: "tgheros",
        loads: "",
        macros: "",
    },
    Entry {
        name: "tgpagella",
        loads: "",
        macros: "",
    },
    Entry {
        name: "tgtermes",
        loads: "",
        macros: "",
    },
    Entry {
        name: "thm-restate",
        loads: "thmtools",
        macros: "restatable",
    },
    Entry {
        name: "thmtools",
        loads: "amsthm",
        macros: "\
            addtotheorempostfoothook addtotheorempostheadhook addtotheoremprefoothook \
            addtotheorempreheadhook declaretheorem declaretheoremstyle ignoretheorems \
            listoftheorems listtheoremname renewtheorems theoremautorefname thmt* \
        ",
    },
    Entry {
        name: "threeparttable",
        loads: "",
        macros: "TPTdoTablenotes TPTminimum TPTtagStyle tnote",
    },
    Entry {
        name: "threeparttablex",
        loads: "",
        macros: "TableNotes insertTableNotes setTableNoteFont",
    },
    Entry {
        name: "tikz",
        loads: "pgf xcolor graphicx",
        macros: "\
            ar arrow breakforeach calendar calendarweek clip coordinate datavisualization draw \
            edge endscope endtikzpicture feynmandiagram filldraw foreach graph iddots n node p \
            path pattern pgf* pic pictype qwavefunction scope shade shadedraw spy subnode \
            tdplotsetmaincoords tikz* useasboundingbox usetikzlibrary x y \
        ",
    },
    Entry {
        name: "tikz-3dplot",
        loads: "tikz",
        macros: "\
            tdplotcalctransformmainscreen tdplotcrossprod tdplotdrawarc tdplotgetpolarcoords \
            tdplotmainphi tdplotmaintheta tdplotresphi tdplotrestheta tdplotresx tdplotresy \
            tdplotresz tdplotsetcoord tdplotsetmaincoords tdplotsetrotatedcoords \
            tdplotsetrotatedcoordsorigin tdplotsetrotatedthetaplanecoords \
            tdplotsetthetaplanecoords tdplotshowargcolorguide tdplotsinandcos \
            tdplotsphericalsurfaceplot tdplottransformmainscreen \
        ",
    },
    Entry {
        name: "tikz-cd",
        loads: "tikz amsmath",
        macros: "ar arrow tikzcdset",
    },
    Entry {
        name: "times",
        loads: "",
        macros: "",
    },
    Entry {
        name: "tipa",
        loads: "",
        macros: "ipa text* tipaencoding",
    },
    Entry {
        name: "titlesec",
        loads: "",
        macros: "\
            aftertitleunit assignpagestyle beforetitleunit bottitlemarks bottitlespace \
            chapterbreak chaptertitle chaptertitlename filcenter filinner fillast filleft \
            filouter filright firsttitlemarks headrule iftitlemeasuring makeheadrule \
            newpagestyle nexttoptitlemarks outertitlemarks renewpagestyle sectionbreak \
            sectiontitle setfoot setfootrule sethead setheadrule settitlemarks subsectionbreak \
            subsectiontitle titleclass titleformat titlelabel titleline titlerule titlespacing \
            titlewidth titlewidthfirst titlewidthlast toptitlemarks widenhead wordsep \
        ",
    },
    Entry {
        name: "titletoc",
        loads: "",
        macros: "\
            contentslabel contentsmargin contentspage contentspush contentsuse dottedcontents \
            printcontents printlist resumecontents resumelist startcontents startlist \
            stopcontents stoplist thecontentslabel thecontentspage titlecontents* \
        ",
    },
    Entry {
        name: "titling",
        loads: "",
        macros: "\
            appendiargdef calccentering droptitle keepthetitle killtitle maketitlehooka \
            maketitlehookb maketitlehookc maketitlehookd postauthor postdate posttitle \
            preauthor predate pretitle symbolthanks thanksfootextra thanksheadextra \
            thanksmarkseries theauthor thedate thetitle titlingpageend \
        ",
    },
    Entry {
        name: "tocbibind",
        loads: "",
        macros: "\
            prefacechap restorechapter setindexname setlofname setlotname settocbibname \
            settocname simplechapter tocchapter tocetcmark tocfile tocsection \
        ",
    },
    Entry {
        name: "tocloft",
        loads: "",
        macros: "cft* newlistentry newlistof phantomsection tocdepth tocloftpagestyle",
    },
    Entry {
        name: "todonotes",
        loads: "tikz",
        macros: "listoftodos listtodoname missingfigure setuptodonotes todo*",
    },
    Entry {
        name: "totcount",
        loads: "",
        macros: "newtotcounter regtotcounter totvalue usetotcountfile",
    },
    Entry {
        name: "translator",
        loads: "",
        macros: "\
            deftranslation languagepath newtranslation translate usedictionary uselanguage \
        ",
    },
    Entry {
        name: "transparent",
        loads: "",
        macros: "texttransparent transparent",
    },
    Entry {
        name: "trimclip",
        loads: "",
        macros: "clipbox marginbox trimbox",
    },
    Entry {
        name: "truncate",
        loads: "",
        macros: "truncate",
    },
    Entry {
        name: "txfonts",
        loads: "",
        macros: "",
    },
    Entry {
        name: "type1cm",
        loads: "",
        macros: "",
    },
    Entry {
        name: "typearea",
        loads: "",
        macros: "areaset recalctypearea storeareas typearea",
    },
    Entry {
        name: "ulem",
        loads: "",
        macros: "\
            ULdepth ULforem ULon ULspecialchars ULthickness dashuline dotuline markoverwith \
            normalem sout uline useunder uuline uwave xout \
        ",
    },
    Entry {
        name: "unicode-math",
        loads: "",
        macros: "math* setmathfont setmathfontface sym* unimathsetup",
    },
    Entry {
        name: "units",
        loads: "",
        macros: "nicefrac unit unitfrac",
    },
    Entry {
        name: "upgreek",
        loads: "",
        macros: "Up* up*",
    },
    Entry {
        name: "upquote",
        loads: "",
        macros: "",
    },
    Entry {
        name: "url",
        loads: "",
        macros: "\
            DeclareUrlCommand Url UrlBigBreaks UrlBreaks UrlFont UrlLeft UrlNoBreaks UrlOrds \
            UrlRight UrlSpecials UrlTildeSpecial path url urldef urlstyle \
        ",
    },
    Entry {
        name: "utopia",
        loads: "",
        macros: "",
    },
    Entry {
        name: "varioref",
        loads: "",
        macros: "\
            Ref Vref Vrefformat fullref labelformat reftextafter reftextbefore reftextcurrent \
            reftextfaceafter reftextfacebefore reftextfaraway reftextlabelrange \
            reftextpagerange reftextvario vpageref vpagerefrange vref vrefformat vrefpagenum \
            vrefrange \
        ",
    },
    Entry {
        name: "verbatim",
        loads: "",
        macros: "verbatiminput",
    },
    Entry {
        name: "vmargin",
        loads: "",
        macros: "setmargins setmarginsrb setpapersize",
    },
    Entry {
        name: "wasysym",
        loads: "",
        macros: "\
            CIRCLE CheckedBox Circle LEFTcircle RIGHTcircle Square XBox astrosun ataribox bell \
            checked clock diameter eighthnote female frownie fullnote gluon halfnote hexagon \
            iiint iint inve invneg lightning male octagon oiint openo pencil pentagon permil \
            phone photon quarternote smiley sun thorn twonotes varhexagon wasylozenge \
        ",
    },
    Entry {
        name: "wrapfig",
        loads: "",
        macros: "WFclear wrapoverhang",
    },
    Entry {
        name: "xargs",
        loads: "",
        macros: "\
            CheckCommandx DeclareRobustCommandx newcommandx newenvironmentx providecommandx \
            renewcommandx renewenvironmentx \
        ",
    },
    Entry {
        name: "xcolor",
        loads: "color",
        macros: "\
            DefineNamedColor adjustUCRBG arrayrulecolor blendcolors boxframe cellcolor color \
            colorbox colorlet colorseriescycle columncolor convertcolorspec definecolor \
            definecolors definecolorseries definecolorset extractcolorspec extractcolorspecs \
            fcolorbox hiderowcolors maskcolors mathcolor nopagecolor pagecolor preparecolor \
            preparecolorset providecolor providecolorlet providecolors providecolorset rdivide \
            resetcolorseries rowcolor rowcolors rownum selectcolormodel showrowcolors \
            substitutecolormodel testcolor textcolor xglobal \
        ",
    },
    Entry {
        name: "xfp",
        loads: "",
        macros: "",
    },
    Entry {
        name: "xfrac",
        loads: "",
        macros: "DeclareCollectionInstance DeclareInstance UseInstance sfrac",
    },
    Entry {
        name: "xifthen",
        loads: "ifthen",
        macros: "\
            cnttest dimtest endswith ifthenelse isempty isequivalentto isin isnamedefined \
            newtest terminate \
        ",
    },
    Entry {
        name: "xltabular",
        loads: "tabularx longtable",
        macros: "",
    },
    Entry {
        name: "xparse",
        loads: "",
        macros: "",
    },
    Entry {
        name: "xr",
        loads: "",
        macros: "externaldocument",
    },
    Entry {
        name: "xr-hyper",
        loads: "",
        macros: "externaldocument",
    },
    Entry {
        name: "xspace",
        loads: "",
        macros: "xspace xspaceaddexceptions xspaceremoveexception",
    },
    Entry {
        name: "xstring",
        loads: "",
        macros: "\
            IfBeginWith IfDecimal IfEndWith IfEq IfEqCase IfInteger IfStr* IfSub* Str* \
            afterdecimal comparenormal comparestrict decimalpart expandarg exploregroups \
            fullexpandarg integerpart noexpandarg noexploregroups restoreexpandmode \
            saveexpandmode setverbdelim tokenize verbtocs \
        ",
    },
    Entry {
        name: "xurl",
        loads: "url",
        macros: "",
    },
    Entry {
        name: "zref",
        loads: "",
        macros: "z*",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_without_repetition() {
        for table in [CLASSES, PACKAGES] {
            assert!(table.is_sorted_by(|a, b| a.name < b.name));
        }
    }

    #[test]
    fn every_loaded_package_is_in_the_table() {
        for entry in CLASSES.iter().chain(PACKAGES) {
            for name in entry.loads.split_whitespace() {
                assert!(find(PACKAGES, name).is_some(), "{} loads {name}", entry.name);
            }
        }
    }

    #[test]
    fn packages_bring_what_they_load() {
        let mut loaded = Loaded::default();
        assert!(loaded.add_package("mathtools"));
        for name in ["coloneqq", "dfrac", "text", "widthof"] {
            assert!(loaded.defines(name), "{name}");
        }
        assert!(!loaded.defines("mathbb"));
    }

    #[test]
    fn a_star_stands_for_all_macros_that_begin_so() {
        let mut loaded = Loaded::default();
        assert!(loaded.add_class("IEEEtran"));
        assert!(loaded.defines("IEEEauthorblockN"));
        assert!(!loaded.defines("IEE"));
    }

    #[test]
    fn unknown_packages_and_classes_are_told_apart() {
        let mut loaded = Loaded::default();
        assert!(!loaded.add_package("no-such-package"));
        assert!(!loaded.add_class("amsmath"));
        assert!(!loaded.add_package("article"));
    }
}
